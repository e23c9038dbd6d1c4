/** The pages of sessions, in one lazily loaded chunk. */
export { SessionsPage } from './sessions-page.tsx'
export { ApprovalsPage } from '../approvals/approvals-page.tsx'
export { EventsPage } from '../session/events/events-page.tsx'
export { ExportPage } from '../session/export/export-page.tsx'
export { NewSessionPage } from '../session/new-session-page.tsx'
export { ReplayPage } from '../session/replay/replay-page.tsx'
export { SessionFrame } from '../session/session-frame.tsx'
export { TranscriptPage } from '../session/transcript-page.tsx'
