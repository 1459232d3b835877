import { useState } from 'react';
import { setAppearance, storedAppearance } from './appearance.ts';
import { MoonIcon, SunIcon } from './icons.tsx';

export function ModeButton() {
  const [, again] = useState(0);
  const dark = document.documentElement.dataset['mode'] === 'dark';
  const turn = (): void => {
    setAppearance({ mode: storedAppearance().mode === 'dark' ? 'light' : 'dark' });
    again(Date.now());
  };
  return (
    <button type="button" className="icon" onClick={turn}>
      {dark ? <SunIcon /> : <MoonIcon />}
      <span className="hidden">{dark ? 'Light colours' : 'Dark colours'}</span>
    </button>
  );
}
