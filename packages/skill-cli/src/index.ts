export { runHelixSkills } from './command.ts';
export type { CommandSurroundings } from './command.ts';
export { SkillSyncError } from './errors.ts';
export type { SkillSyncErrorCode } from './errors.ts';
export type { SyncLimits } from './limits.ts';
export type { GitEntry, ManifestEntry, MarketplaceEntry, SkillsManifest } from './manifest.ts';
export { syncSkills } from './sync.ts';
export type { SyncOptions, SyncReport } from './sync.ts';
