import { PlatformError } from '@parley/contracts'
import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import { type Key, type Terminal, holdTerminal } from '../prompt/raw-terminal.ts'
import { createLiveRows } from '../render/live-rows.ts'
import { formatLocalTime } from '../render/output.ts'
import type { Style } from '../render/display.ts'
import { fitText, toInlineText, sanitise } from '../render/text.ts'
import { shortenId } from './find-session.ts'

const MAX_LISTED = 200

/** Lets the user choose a recent session. Throws `cancelled` if they choose none. */
export async function pickSession(
  store: SessionStore,
  terminal: Terminal,
  style: Style,
): Promise<AgentSessionRecord | undefined> {
  const { items } = await store.list({ limit: MAX_LISTED })
  if (items.length < 2) return items[0]
  const picked = await runPicker(items, terminal, style)
  if (picked) return picked
  throw new PlatformError('cancelled', { message: 'No session was chosen.' })
}

function runPicker(
  records: readonly AgentSessionRecord[],
  terminal: Terminal,
  style: Style,
): Promise<AgentSessionRecord | undefined> {
  const { output } = terminal
  const live = createLiveRows(output)
  let picker = createPicker(records)
  const draw = () => {
    const height = Math.min(MAX_ROWS, output.rows || 24)
    output.write(live.update([], renderPicker(picker, { columns: output.columns || 80, height, style })))
  }
  return new Promise((resolve) => {
    const leave = (record?: AgentSessionRecord) => {
      process.off('SIGTERM', cancel)
      process.off('SIGHUP', cancel)
      held.close()
      output.write(live.update([], []))
      resolve(record)
    }
    const cancel = () => leave()
    process.once('SIGTERM', cancel)
    process.once('SIGHUP', cancel)
    const held = holdTerminal(terminal, {
      onResize: draw,
      onKey: (key) => {
        if (key.name === 'suspend') {
          held.suspend(() => {
            live.forget()
            draw()
          })
          return
        }
        const step = handlePickerKey(picker, key)
        if (step.kind === 'choosing') {
          picker = step.picker
          draw()
        } else leave(step.kind === 'chosen' ? step.record : undefined)
      },
    })
    draw()
  })
}

const MAX_ROWS = 18

/** A session picker: matches titles and ids that contain the typed text. */
interface Picker {
  readonly records: readonly AgentSessionRecord[]
  readonly typed: string
  readonly matching: readonly AgentSessionRecord[]
  readonly chosen: number
}

const createPicker = (records: readonly AgentSessionRecord[]): Picker => ({
  records,
  typed: '',
  matching: records,
  chosen: 0,
})

type PickerStep =
  | { readonly kind: 'choosing'; readonly picker: Picker }
  | { readonly kind: 'chosen'; readonly record: AgentSessionRecord }
  | { readonly kind: 'left' }

function handlePickerKey(picker: Picker, key: Key): PickerStep {
  const { typed, matching, chosen } = picker
  if (key.name === 'text' || key.name === 'paste') {
    return filterPicker(picker, typed + key.text.replaceAll('\n', ' '))
  }
  const action = ACTIONS[key.name]
  if (action === 'clear') return filterPicker(picker, '')
  if (action === 'take-back') return filterPicker(picker, typed.slice(0, -1))
  if (action === 'leave') return { kind: 'left' }
  if (action === undefined) return keepChoosing(picker)
  const record = matching[chosen]
  if (action === 'take') return record ? { kind: 'chosen', record } : keepChoosing(picker)
  return keepChoosing({ ...picker, chosen: Math.max(0, Math.min(matching.length - 1, chosen + action)) })
}

const ACTIONS: Partial<Record<Key['name'], 'clear' | 'leave' | 'take' | 'take-back' | 1 | -1>> = {
  'delete-back': 'take-back',
  'cut-to-start': 'clear',
  'delete-word': 'clear',
  up: -1,
  'complete-back': -1,
  down: 1,
  complete: 1,
  enter: 'take',
  escape: 'leave',
  interrupt: 'leave',
  'end-of-input': 'leave',
}

const keepChoosing = (picker: Picker): PickerStep => ({ kind: 'choosing', picker })

function filterPicker(picker: Picker, typed: string): PickerStep {
  const words = typed.toLowerCase().split(/\s+/)
  const matching = picker.records.filter(({ session }) => {
    const searched = `${session.title ?? ''} ${shortenId(session.id, 40)}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  return keepChoosing({ ...picker, typed, matching, chosen: 0 })
}

/** The rows around the marked one, narrower than the screen. */
function renderPicker(
  { typed, matching, chosen }: Picker,
  { columns, height, style }: { columns: number; height: number; style: Style },
): readonly string[] {
  const width = columns - 1
  const most = Math.max(1, height - 3)
  const first = Math.max(0, Math.min(chosen - Math.floor(most / 2), matching.length - most))
  const rows = matching.slice(first, first + most).map((record, index) => {
    const isChosen = first + index === chosen
    const row = fitText(`${isChosen ? '› ' : '  '}${formatRow(record, width - 2)}`, width)
    return isChosen ? style.bold(row) : row
  })
  const found = matching.length === 0 ? 'no matching session' : `${chosen + 1} of ${matching.length}`
  return [
    fitText(`Which session? ${sanitise(typed)}`, width),
    ...rows,
    style.dim(fitText(`${found}; type to search, arrows, Enter, Esc`, width)),
  ]
}

/** Drops columns on a narrow screen, the title last. */
function formatRow({ session }: AgentSessionRecord, width: number): string {
  const { updatedAt, messageCount, title } = session
  const when = formatLocalTime(updatedAt)
  const count = `${messageCount}`.padStart(5)
  const name = toInlineText(title ?? 'untitled')
  return width < 50 ? `${when.slice(5)}  ${name}` : `${when}  ${count}  ${name}`
}
