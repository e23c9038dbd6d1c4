import { type EditorHost, createLineEditor } from './line-editor.ts'
import { type Confirmation, type EditText, type Prompt, createYesOrNoReader } from './prompt.ts'
import { type Key, type Terminal, holdTerminal } from './raw-terminal.ts'
import { type Screen, createScreen } from './screen.ts'

interface RawHost extends EditorHost {
  /** Edits a text in the user's editor. */
  readonly edit?: EditText | undefined
}

/** A prompt that reads key by key: history, multi-line pastes, Ctrl-C without killing. */
export function openRawPrompt(terminal: Terminal, host: RawHost): Prompt {
  const screen = createScreen(terminal.output)
  const editor = createLineEditor(screen, host)
  const prompt: RawPrompt = {
    screen,
    editor,
    openEditor: host.edit,
    held: holdTerminal(terminal, {
      onKey: (key) => press(prompt, key),
      onResize: () => editor.redrawAll(),
    }),
    state: { kind: 'idle' },
    waiting: [],
    interrupted: false,
  }
  const { held, openEditor } = prompt

  return {
    ask: (draft) =>
      new Promise((answer) => {
        if (prompt.state.kind === 'closed') {
          answer(undefined)
          return
        }
        prompt.state = { kind: 'asking', answer }
        prompt.interrupted = false
        editor.begin(draft)
        pressWaiting(prompt)
      }),
    confirm: (question, offers = []) =>
      new Promise((answer) => {
        if (prompt.state.kind === 'closed') {
          answer('leave')
          return
        }
        prompt.interrupted = false
        const read = createYesOrNoReader(question, offers, terminal.output)
        prompt.state = { kind: 'confirming', answer, read }
      }),
    async during(work, interrupt) {
      const working: PromptState = { kind: 'working', interrupt }
      prompt.state = working
      if (prompt.interrupted) interrupt()
      try {
        return await work
      } finally {
        if (prompt.state === working) prompt.state = { kind: 'idle' }
      }
    },
    ...(openEditor && { edit: (text: string) => held.lend(() => openEditor(text)) }),
    close() {
      const { state } = prompt
      if (state.kind === 'closed') return
      if (state.kind === 'asking') {
        editor.end(editor.text)
        state.answer(undefined)
      }
      if (state.kind === 'confirming') readAnswer(prompt, { name: 'end-of-input' }, state)
      prompt.state = { kind: 'closed' }
      held.close()
    },
  }
}

interface RawPrompt {
  readonly screen: Screen
  readonly editor: ReturnType<typeof createLineEditor>
  readonly openEditor: EditText | undefined
  readonly held: ReturnType<typeof holdTerminal>
  state: PromptState
  /** Keys pressed while nothing was asked. */
  waiting: Key[]
  /** Ctrl-C came after a message was sent, before its work started. */
  interrupted: boolean
}

type PromptState = { readonly kind: 'idle' | 'closed' } | Asking | Confirming | Working

interface Asking {
  readonly kind: 'asking'
  readonly answer: (text: string | undefined) => void
}

interface Confirming {
  readonly kind: 'confirming'
  readonly answer: (choice: Confirmation) => void
  readonly read: (key: Key) => Confirmation | undefined
}

interface Working {
  readonly kind: 'working'
  readonly interrupt: () => void
}

function press(prompt: RawPrompt, key: Key): void {
  const { state, held } = prompt
  if (state.kind === 'asking') typeKey(prompt, key, state)
  else if (state.kind === 'confirming') readAnswer(prompt, key, state)
  else if (key.name === 'suspend' && state.kind === 'working') held.suspend(() => undefined)
  else if (key.name !== 'interrupt') prompt.waiting.push(key)
  else {
    prompt.waiting = []
    if (state.kind === 'working') state.interrupt()
    else prompt.interrupted = true
  }
}

function pressWaiting(prompt: RawPrompt): void {
  const keys = prompt.waiting
  prompt.waiting = []
  for (const key of keys) press(prompt, key)
}

function typeKey(prompt: RawPrompt, key: Key, asking: Asking): void {
  const { editor, held, screen } = prompt
  const action = editor.press(key)
  switch (action.kind) {
    case 'none':
      break
    case 'suspend':
      screen.erase()
      held.suspend(() => editor.drawSoon())
      break
    case 'open-editor':
      void editLine(prompt, asking)
      break
    case 'send':
    case 'leave':
      prompt.state = { kind: 'idle' }
      asking.answer(action.kind === 'send' ? action.text : undefined)
      break
    default:
      action satisfies never
  }
}

async function editLine(prompt: RawPrompt, asking: Asking): Promise<void> {
  const { editor, held, screen, openEditor } = prompt
  if (!openEditor) return
  prompt.state = { kind: 'idle' }
  screen.erase()
  const edited = await held.lend(() => openEditor(editor.text))
  if (prompt.state.kind !== 'idle') return
  prompt.state = asking
  editor.replace(edited.text, edited.kind === 'failed' ? edited.reason : undefined)
  pressWaiting(prompt)
}

function readAnswer(prompt: RawPrompt, key: Key, { read, answer }: Confirming): void {
  const choice = read(key)
  if (choice === undefined) return
  prompt.state = { kind: 'idle' }
  answer(choice)
}
