import { fileURLToPath } from 'node:url';
import {
  bundleWorkflowCode,
  type BundleOptions,
  type WorkflowBundleWithSourceMap,
} from '@temporalio/worker';

/** In this repository packages are used from their source; a published package has JavaScript only. */
const isSource = import.meta.url.endsWith('.ts');
const SOURCE_CONDITION = '@helix-agents/source';

export interface BundleAgentWorkflowOptions {
  /** A file of your own that exports `agentWorkflow` besides your workflows. Default: the one of this package. */
  readonly workflowsPath?: string;
  /** Files that export workflow interceptors. */
  readonly workflowInterceptorModules?: readonly string[];
  readonly logger?: BundleOptions['logger'];
}

/** Bundles the workflow code once, for a deploy or for several workers of one process. */
export async function bundleAgentWorkflow(
  options: BundleAgentWorkflowOptions = {},
): Promise<WorkflowBundleWithSourceMap> {
  const own = fileURLToPath(new URL(isSource ? 'workflow.ts' : 'workflow.js', import.meta.url));
  return bundleWorkflowCode({
    workflowsPath: options.workflowsPath ?? own,
    workflowInterceptorModules: [...(options.workflowInterceptorModules ?? [])],
    ...(options.logger ? { logger: options.logger } : {}),
    ...(isSource ? { webpackConfigHook: fromSource } : {}),
  });
}

const fromSource: NonNullable<BundleOptions['webpackConfigHook']> = (config) => ({
  ...config,
  resolve: {
    ...config.resolve,
    conditionNames: [SOURCE_CONDITION, ...(config.resolve?.conditionNames ?? ['...'])],
  },
});
