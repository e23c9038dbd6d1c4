import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { PlatformError } from '@parley/contracts'
import type { CommandCall } from '../commands/command.ts'
import type { Environment } from '../environment.ts'
import { type Io, readText } from '../io.ts'
import { readDisplay } from '../render/display.ts'
import { printMessage } from '../render/output.ts'
import { type Confirmation, type Offer, openPrompt } from './prompt.ts'
import { holdTerminal } from './raw-terminal.ts'

export const canAsk = ({ stdin, stdout, stderr }: Io): boolean =>
  stdin.isTTY && (stdout.isTTY || stderr.isTTY)

/** Asks to confirm a removal; without a terminal --yes is required. */
export async function confirmRemoval(
  { io, json, environment }: Pick<CommandCall, 'io' | 'json' | 'environment'>,
  question: string,
): Promise<boolean> {
  if (json || !canAsk(io)) {
    throw new PlatformError('validation', {
      message: 'This needs a terminal to confirm.',
      fix: 'Add --yes to do it without asking.',
    })
  }
  if ((await confirm(io, environment, question)) === 'yes') return true
  printMessage(io.stdout, 'Nothing was changed.')
  return false
}

/** Asks one question without an open prompt. */
export async function confirm(
  io: Io,
  environment: Environment,
  question: string,
  offers: readonly Offer[] = [],
): Promise<Confirmation> {
  const prompt = await openPrompt(io, environment, {
    style: readDisplay(io.stdout, environment).style,
    history: [],
  })
  const close = () => prompt.close()
  for (const signal of SIGNALS) process.once(signal, close)
  try {
    await discardTypedAhead(io.stdin)
    return await prompt.confirm(question, offers)
  } finally {
    for (const signal of SIGNALS) process.off(signal, close)
    prompt.close()
  }
}

async function discardTypedAhead(input: Readable): Promise<void> {
  let hasData = true
  const onData = () => (hasData = true)
  input.on('data', onData)
  while (hasData) {
    hasData = false
    for (let turns = 0; turns < 2; turns += 1) await setImmediate()
  }
  input.off('data', onData)
}

const SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** Standard input as text, without its last newline. */
export async function readInput(
  input: Readable,
  maxBytes: number,
  createSizeError: () => PlatformError,
): Promise<string> {
  const text = await readText(input, maxBytes, createSizeError)
  if (text !== undefined) return text.replace(/\r?\n$/, '')
  throw new PlatformError('validation', {
    message: 'Standard input is not UTF-8 text. Nothing was sent.',
    fix: 'Convert it first, for instance with `iconv -t UTF-8`.',
  })
}

/** Reads a line without showing it; undefined if the user cancels. */
export function readHidden({ stdin, stderr }: Io, question: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let typed = ''
    const done = (value: string | undefined) => {
      held.close()
      stderr.write('\n')
      resolve(value)
    }
    const held = holdTerminal(
      { input: stdin, output: stderr },
      {
        onResize: () => undefined,
        onKey(key) {
          if (key.name === 'enter') done(typed)
          else if (key.name === 'interrupt' || key.name === 'end-of-input') done(undefined)
          else if (key.name === 'delete-back') typed = typed.slice(0, -1)
          else if (key.name === 'text' || key.name === 'paste') typed += key.text
        },
      },
    )
    stderr.write(question)
  })
}
