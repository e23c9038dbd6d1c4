import type { AgentSessionRecord, SessionStore } from '@parley/engine'
import { PlatformError } from '@parley/contracts'
import { holdTerminal, type Terminal } from '../prompt/raw-terminal.ts'
import { createLiveRows } from '../render/live-rows.ts'
import type { Style } from '../render/style.ts'
import { openPicker, pickerRows, pickerStep } from './picker.ts'

const MOST_LISTED = 200

/** Has a person choose one of their latest sessions. Throws `cancelled` where they choose none. */
export async function pickSession(
  store: SessionStore,
  terminal: Terminal,
  style: Style,
): Promise<AgentSessionRecord | undefined> {
  const { items } = await store.list({ limit: MOST_LISTED })
  if (items.length < 2) return items[0]
  const picked = await picking(items, terminal, style)
  if (picked) return picked
  throw new PlatformError('cancelled', { message: 'No session was chosen.' })
}

function picking(
  records: readonly AgentSessionRecord[],
  terminal: Terminal,
  style: Style,
): Promise<AgentSessionRecord | undefined> {
  const { output } = terminal
  const live = createLiveRows(output)
  let picker = openPicker(records)
  const draw = () => {
    const height = Math.min(MOST_ROWS, output.rows || 24)
    output.write(live.update([], pickerRows(picker, { columns: output.columns || 80, height, style })))
  }
  return new Promise((resolve) => {
    const leave = (record?: AgentSessionRecord) => {
      process.off('SIGTERM', leaveOpen)
      process.off('SIGHUP', leaveOpen)
      held.close()
      output.write(live.update([], []))
      resolve(record)
    }
    const leaveOpen = () => leave()
    process.once('SIGTERM', leaveOpen)
    process.once('SIGHUP', leaveOpen)
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
        const step = pickerStep(picker, key)
        if (step.kind === 'choosing') {
          picker = step.picker
          draw()
        } else leave(step.kind === 'chosen' ? step.record : undefined)
      },
    })
    draw()
  })
}

const MOST_ROWS = 18
