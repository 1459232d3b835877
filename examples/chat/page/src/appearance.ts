export type Mode = 'light' | 'dark';

export interface Appearance {
  readonly mode: Mode;
  readonly accent: string;
}

const KEY = 'helix-chat-appearance';

/** What was chosen before, else what the system prefers. */
export function storedAppearance(): Appearance {
  const mode = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  try {
    return { mode, accent: 'violet', ...(JSON.parse(localStorage.getItem(KEY) ?? '{}') as object) };
  } catch {
    return { mode, accent: 'violet' };
  }
}

export function applyAppearance({ mode, accent }: Appearance): void {
  document.documentElement.dataset['mode'] = mode;
  document.documentElement.dataset['accent'] = accent;
}

/** The client tool of the page: the agent asks, the page changes. */
export function setAppearance(wanted: Partial<Appearance>): Appearance {
  const next = { ...storedAppearance(), ...wanted };
  localStorage.setItem(KEY, JSON.stringify(next));
  applyAppearance(next);
  return next;
}
