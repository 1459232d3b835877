import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyAppearance, storedAppearance } from './appearance.ts';
import './style.css';

applyAppearance(storedAppearance());
const root = document.getElementById('root');
if (!root) throw new Error('The page has no #root.');
createRoot(root).render(<App />);
