import type { Root } from 'react-dom/client'
import { VisitorApp } from './talk/visitor-app.tsx'

/** The page of a link, for whoever has it. */
export const startVisit = (root: Root, linkToken: string): void =>
  root.render(<VisitorApp key={linkToken} linkToken={linkToken} />)
