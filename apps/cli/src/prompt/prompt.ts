import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { Environment } from '../environment.ts'
import type { Io } from '../io.ts'
import type { EditorHost } from './line-editor.ts'
import type { Key } from './raw-terminal.ts'

export interface Prompt {
  /** The next message; `undefined` once the user quits. A draft is pre-filled if possible. */
  ask(draft?: string): Promise<string | undefined>
  /** Asks yes or no, plus the offers. Earlier input does not count. */
  confirm(question: string, offers?: readonly Offer[]): Promise<Confirmation>
  /** Runs some work: Ctrl-C calls `interrupt`, and typed text waits for the next `ask`. */
  during<T>(work: Promise<T>, interrupt: () => void): Promise<T>
  /** Edits a text in the user's editor, if available. */
  readonly edit?: EditText
  /** Ends a running `ask` or `confirm`, too. */
  close(): void
}

/** The best prompt that this terminal can show. */
export async function openPrompt(
  { stdin, stdout, stderr }: Io,
  { escapes, editor }: Environment,
  host: EditorHost,
): Promise<Prompt> {
  if (escapes && stdout.isTTY) {
    const { openRawPrompt } = await import('./raw-prompt.ts')
    const edit = createEditor(editor)
    return openRawPrompt({ input: stdin, output: stdout }, { ...host, edit })
  }
  const { openPlainPrompt } = await import('./plain-prompt.ts')
  return openPlainPrompt({ input: stdin, output: stdout.isTTY ? stdout : stderr })
}

/** The answer to a question; `leave` leaves it open. `session` and `view` only if offered. */
export type Confirmation = 'yes' | Offer | 'no' | 'leave'

/** Extra answers: yes for the whole session, or view more first. */
export type Offer = 'session' | 'view'

/** Reads an answer: only yes means yes; anything unclear is asked again. */
export function readYesOrNo(
  line: string,
  offers: readonly Offer[] = [],
): Exclude<Confirmation, 'leave'> | undefined {
  const word = line.trim().toLowerCase()
  if (word === 'y' || word === 'yes') return 'yes'
  if (word === '' || word === 'n' || word === 'no') return 'no'
  return offers.find((offer) => word === offer || word === OFFER_KEYS[offer])
}

export const OFFER_KEYS: Readonly<Record<Offer, string>> = { session: 's', view: 'v' }

/** The question with its choices; after several lines, the answer gets its own. */
export const formatQuestion = (question: string, offers: readonly Offer[] = []): string =>
  `${question}${offers.length > 0 || question.includes('\n') ? '\n' : ' '}[${['y', ...offers.map((offer) => OFFER_KEYS[offer]), 'N'].join('/')}] `

/** Asks and reads keys until Enter. */
export function createYesOrNoReader(
  question: string,
  offers: readonly Offer[],
  output: Writable,
): (key: Key) => Confirmation | undefined {
  const text = formatQuestion(question, offers).replaceAll('\n', '\r\n')
  let typed = ''
  output.write(text)

  const read = (): Confirmation | undefined => {
    const answer = readYesOrNo(typed, offers)
    typed = ''
    if (answer === undefined) output.write(`\r\n${text}`)
    else output.write('\r\n')
    return answer
  }

  return (key) => {
    if (key.name === 'enter') return read()
    if (key.name === 'interrupt' || key.name === 'end-of-input') {
      output.write('\r\n')
      return 'leave'
    }
    if (key.name === 'text' && /^[\x20-\x7e]$/.test(key.text)) {
      typed += key.text
      output.write(key.text)
    } else if (key.name === 'delete-back' && typed !== '') {
      typed = typed.slice(0, -1)
      output.write('\b \b')
    }
    return undefined
  }
}

type EditResult =
  | { readonly kind: 'edited'; readonly text: string }
  /** The text is unchanged. */
  | { readonly kind: 'failed'; readonly text: string; readonly reason: string }

export type EditText = (text: string) => Promise<EditResult>

const DEFAULT_EDITOR = 'vi'

/** Edits texts in an editor, in a private temporary file. */
export function createEditor(editor = DEFAULT_EDITOR): EditText {
  return async (text) => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-'))
    try {
      const file = join(folder, 'message.md')
      await writeFile(file, text, { mode: 0o600 })
      const failure = await runEditor(editor, file)
      if (failure !== undefined) {
        const reason = `The editor "${editor}" ${failure}; set VISUAL or EDITOR to another editor.`
        return { kind: 'failed', text, reason }
      }
      return { kind: 'edited', text: (await readFile(file, 'utf8')).replace(/\r?\n$/, '') }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** The command may contain options, so a shell runs it. */
function runEditor(editor: string, file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child =
      process.platform === 'win32'
        ? spawn(`${editor} "${file}"`, { stdio: 'inherit', shell: true })
        : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    child.on('error', ({ message }) => resolve(`could not be started (${message})`))
    child.on('exit', (code) => {
      if (code === 0) resolve(undefined)
      else
        resolve(code === 127 ? 'was not found' : `failed with ${code === null ? 'a signal' : `code ${code}`}`)
    })
  })
}
