import type { Writable } from 'node:stream'
import type { ApprovalDecision } from '@parley/contracts'
import type { Io } from '../io.ts'
import { OFFER_KEYS, type Offer, type Prompt } from '../prompt/prompt.ts'
import { cutMiddleRows, renderPreview } from '../render/preview-rows.ts'
import type { Display } from '../render/display.ts'
import { notify, printMessage } from '../render/output.ts'
import { breakRows, toSingleLine } from '../render/text.ts'
import { shortenId } from '../session/find-session.ts'
import type { ApprovalRequest, TurnStop, UserAction } from './chat.ts'

export interface Approver {
  readonly confirm: Prompt['confirm']
  readonly screen: Writable & { readonly columns?: number; readonly rows?: number }
  readonly display: Display
}

/** Shows a call and asks for approval; leaving the question leaves the call waiting. */
export async function askApproval(
  request: ApprovalRequest,
  { confirm, screen, display }: Approver,
): Promise<ApprovalDecision | 'leave'> {
  if (isBudgetRequest(request)) {
    const answer = await confirm(`${toSingleLine(request.target)} ${LEAVING} Continue?`)
    return answer === 'leave' ? 'leave' : answer === 'yes' ? 'allow' : 'refuse'
  }
  const columns = screen.columns || display.columns
  const height = screen.rows || DEFAULT_ROWS
  const rows = request.preview ? renderPreview(request.preview, { ...display, columns }) : []
  const shown = cutMiddleRows(rows, Math.max(MIN_ROWS, Math.floor((height * 2) / 3)), display)
  const isCut = shown.length < rows.length
  const page = Math.max(MIN_ROWS, height - ROWS_OF_QUESTION)
  const show = (some: readonly string[]) => {
    if (some.length > 0) screen.write(`${some.join('\n')}\n\n`)
  }

  show(shown)
  for (let from = 0; ;) {
    const to = Math.min(from + page, rows.length)
    const view = `view lines ${from + 1} to ${to} of ${rows.length}`
    const meanings = { ...listSessionMeaning(request), ...(isCut && { view }) }
    const offers = Object.keys(meanings) as readonly Offer[]
    const answer = await confirm(formatQuestion(request, meanings, columns - 1), offers)
    switch (answer) {
      case 'yes':
        return 'allow'
      case 'session':
        return 'allow_session'
      case 'no':
        return 'refuse'
      case 'leave':
        return 'leave'
      case 'view':
        show(rows.slice(from, to))
        from = to === rows.length ? 0 : to
        break
      default:
        return answer satisfies never
    }
  }
}

const DEFAULT_ROWS = 24
const MIN_ROWS = 6
const ROWS_OF_QUESTION = 8

type Meanings = Readonly<Partial<Record<Offer, string>>>

const listSessionMeaning = ({ grant }: ApprovalRequest): Meanings =>
  grant ? { session: `yes, and every ${formatCall(grant)} in this session` } : {}

/** A target is untrusted text, so it is indented further than our own. */
function formatQuestion(request: ApprovalRequest, meanings: Meanings, columns: number): string {
  const question = indentRows('', `Allow ${formatCall(request)}?`, columns)
  const offered = Object.entries(meanings) as readonly (readonly [Offer, string])[]
  return [
    question,
    indentRows('  y  ', 'yes, once', columns),
    ...offered.map(([offer, meaning]) => indentRows(`  ${OFFER_KEYS[offer]}  `, meaning, columns)),
    indentRows('  n  ', `no (default). ${LEAVING}`, columns),
  ].join('\n')
}

const indentRows = (opening: string, text: string, columns: number): string =>
  opening + breakRows(text, columns - INDENT.length).join(`\n${INDENT}`)

const INDENT = '     '

const LEAVING = "Ctrl-C quits; you'll be asked again on resume."

type CallTarget = Pick<ApprovalRequest, 'tool' | 'target'>

const describeRequest = (call: CallTarget): string =>
  isBudgetRequest(call) ? toSingleLine(call.target) : `${formatCall(call)}.`

/** A used-up budget asks like a call and explains itself. */
export const isBudgetRequest = ({ tool }: Pick<CallTarget, 'tool'>): boolean => tool === 'spend'

/** The call in one line that hides nothing. */
const formatCall = ({ tool, target }: CallTarget): string => toSingleLine(`${tool} on ${target}`)

/** Reports a waiting call: without a terminal, or left for later. */
export function printWaitingCall(request: ApprovalRequest, io: Pick<Io, 'stderr'>): void {
  const id = shortenId(request.sessionId)
  notify(io, `Waiting for your approval: ${describeRequest(request)}`)
  printMessage(
    io.stderr,
    `\`parley resume ${id}\` in a terminal asks you; \`parley sessions cancel ${id}\` cancels it.`,
    '  ',
  )
}

interface TurnDriver {
  readonly perform: (action: UserAction) => Promise<TurnStop>
  /** The decision on a waiting call; `leave` leaves it waiting, `unattended` means no. */
  readonly decide: (request: ApprovalRequest) => Promise<ApprovalDecision | 'leave' | 'unattended'>
}

/** Follows a turn to its end and asks for each waiting call. Ends at an undecided call. */
export async function followTurn(
  from: UserAction | ApprovalRequest,
  { perform, decide }: TurnDriver,
): Promise<TurnStop> {
  let stop = 'kind' in from ? await perform(from) : from
  while (stop.type === 'agent:approval_requested') {
    const { callId, inputHash } = stop
    const decision = await decide(stop)
    if (decision === 'leave') break
    stop = await perform(
      decision === 'unattended'
        ? { kind: 'decide', callId, decision: 'refuse', inputHash, unattended: true }
        : { kind: 'decide', callId, decision, inputHash },
    )
  }
  return stop
}
