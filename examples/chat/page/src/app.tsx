import { useCallback, useEffect, useRef, useState } from 'react';
import { focusComposer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { Inbox } from './inbox.tsx';
import { KillButton } from './kill-button.tsx';
import { Logo, MenuIcon, PlusIcon } from './icons.tsx';
import { ModeButton } from './mode-button.tsx';
import { SessionList } from './session-list.tsx';
import { useOverview } from './use-overview.ts';

/** The conversation is in the address: a refresh, a bookmark and a second tab show the same one. */
function sessionInAddress(): string {
  const given = location.hash.slice(1);
  if (given) return decodeURIComponent(given);
  const id = crypto.randomUUID();
  history.replaceState(null, '', `#${id}`);
  return id;
}

export function App() {
  const [sessionId, setSessionId] = useState(sessionInAddress);
  const [menu, setMenu] = useState(false);
  const { overview, online, refresh } = useOverview();

  useEffect(() => {
    const follow = (): void => setSessionId(sessionInAddress());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  const controls = useMenuKeys(menu, setMenu);

  const waiting = overview.inbox.length;
  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Helix chat` : 'Helix chat';
  }, [waiting]);

  const open = useCallback((id: string) => {
    location.hash = id;
    setMenu(false);
  }, []);

  return (
    <div className="layout" data-menu={menu || undefined}>
      <a className="skip" href="#composer" onClick={skip}>
        Skip to the message field
      </a>
      <header className="bar">
        <button
          ref={(element) => void (controls.button = element)}
          type="button"
          className="icon menu-button"
          aria-expanded={menu}
          aria-controls="side"
          onClick={() => setMenu(!menu)}
        >
          <MenuIcon />
          <span className="hidden">Conversations and inbox</span>
          {waiting > 0 && <span className="dot" />}
        </button>
        <h1 className="brand">
          <Logo /> Helix <span className="quiet">travel assistant</span>
        </h1>
        <span className="grow" />
        <ModeButton />
        <KillButton pid={overview.pid} online={online} />
      </header>
      <aside id="side" className="side" aria-label="Conversations and inbox">
        <button
          ref={(element) => void (controls.first = element)}
          type="button"
          className="new"
          onClick={() => open(crypto.randomUUID())}
        >
          <PlusIcon /> New chat
        </button>
        <Inbox items={overview.inbox} current={sessionId} onOpen={open} onAnswered={refresh} />
        <SessionList
          sessions={overview.sessions}
          current={sessionId}
          onOpen={open}
          onChange={refresh}
          onDeleted={(id) => id === sessionId && open(crypto.randomUUID())}
        />
      </aside>
      {menu && <div className="shade" onClick={() => setMenu(false)} aria-hidden />}
      <Conversation key={sessionId} id={sessionId} onChange={refresh} inert={menu} />
    </div>
  );
}

/** Where the keyboard goes when the menu opens and closes. */
interface MenuControls {
  button?: HTMLElement | null;
  first?: HTMLElement | null;
}

/** The keyboard goes into the menu when it opens, and back to its button with Escape. */
function useMenuKeys(menu: boolean, setMenu: (open: boolean) => void): MenuControls {
  const { current: controls } = useRef<MenuControls>({});
  useEffect(() => {
    if (!menu) return;
    controls.first?.focus();
    const leave = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape') return;
      setMenu(false);
      controls.button?.focus();
    };
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  }, [menu, setMenu, controls]);
  return controls;
}

function skip(event: React.MouseEvent): void {
  event.preventDefault();
  focusComposer();
}
