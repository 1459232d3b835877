export { fileSystemSkillProvider } from './file-system-skill-provider.ts';
export type { FileSystemSkillProviderOptions } from './file-system-skill-provider.ts';
