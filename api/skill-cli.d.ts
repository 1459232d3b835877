// What `@helix-agents/skill-cli` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface CommandSurroundings {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
    readonly stdout: (text: string) => void;
    readonly stderr: (text: string) => void;
    readonly progressEveryMs?: number;
}

export interface GitEntry extends EntryBase {
    readonly source: 'git';
    readonly skillsDir?: string;
}

export type ManifestEntry = GitEntry | MarketplaceEntry;

export interface MarketplaceEntry extends EntryBase {
    readonly source: 'claude-marketplace';
    readonly plugin: string;
}

export declare class SkillSyncError extends HelixError {
    readonly name: string;
    readonly code: SkillSyncErrorCode;
    constructor(code: SkillSyncErrorCode, message: string, cause?: unknown);
    static isInstance(value: unknown): value is SkillSyncError;
}

export type SkillSyncErrorCode = 'skills_usage_invalid' | 'skills_manifest_invalid' | 'skills_source_refused' | 'skills_fetch_failed' | 'skills_ref_moved' | 'skills_limit_exceeded' | 'skills_content_invalid' | 'skills_lock_invalid' | 'skills_out_of_date' | 'skills_write_failed';

export interface SkillsManifest {
    readonly skills: readonly ManifestEntry[];
    readonly limits?: Partial<SyncLimits>;
}

export interface SyncLimits {
    readonly fetchBytes: number;
    readonly fetchMs: number;
    readonly fileBytes: number;
    readonly skillBytes: number;
    readonly moduleBytes: number;
}

export interface SyncOptions {
    readonly manifest: string;
    readonly out: string;
    readonly lock: string;
    readonly check: boolean;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal;
    readonly progressEveryMs: number;
    readonly tell: (line: string) => void;
}

export interface SyncReport {
    readonly skills: readonly string[];
    readonly diff: readonly string[];
    readonly warnings: readonly string[];
}

export declare function runHelixSkills(args: readonly string[], surroundings: CommandSurroundings): Promise<0 | 1 | 2>;

export declare function syncSkills(options: SyncOptions): Promise<SyncReport>;
