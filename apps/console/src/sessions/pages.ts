/** Session pages other than the transcript, in one lazily loaded chunk. */
export { SessionsPage } from './sessions-page.tsx'
export { ApprovalsPage } from '../approvals/approvals-page.tsx'
export { EventsPage } from '../session/events/events-page.tsx'
export { ExportPage } from '../session/export/export-page.tsx'
export { ReplayPage } from '../session/replay/replay-page.tsx'
