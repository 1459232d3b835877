// What `@helix-agents/skill-fs` exports. Written by `npm run api`; a report to read and compare, not a module.

export interface FileSystemSkillProviderOptions {
    readonly roots: readonly (string | URL)[];
    readonly lenient?: boolean;
    readonly stalenessCheckCooldownMs?: number;
    readonly logger?: AnyLogger;
}

export declare function fileSystemSkillProvider(options: FileSystemSkillProviderOptions): SkillProvider;
