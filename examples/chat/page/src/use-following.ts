import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** So far from the end somebody reads on purpose. */
const AWAY = 260;

/** Keeps the newest words in view, unless the reader has scrolled away from them. */
export function useFollowing(messages: readonly unknown[]): {
  readonly box: RefObject<HTMLDivElement | null>;
  readonly away: boolean;
  readonly toEnd: () => void;
} {
  const box = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  const [away, setAway] = useState(false);

  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const look = (): void => {
      const distance = current.scrollHeight - current.scrollTop - current.clientHeight;
      following.current = distance < AWAY;
      setAway(distance >= AWAY);
    };
    current.addEventListener('scroll', look, { passive: true });
    return () => current.removeEventListener('scroll', look);
  }, []);

  const toEnd = useCallback(() => {
    following.current = true;
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);

  useEffect(() => {
    if (following.current) toEnd();
  }, [messages, toEnd]);

  return { box, away, toEnd };
}
