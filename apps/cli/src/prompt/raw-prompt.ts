import { type EditorHost, createLineEditor } from './line-editor.ts'
import { type Confirmation, type EditText, type Prompt, createYesOrNoReader } from './prompt.ts'
import { type Key, type Terminal, holdTerminal } from './raw-terminal.ts'
import { createScreen } from './screen.ts'

interface RawHost extends EditorHost {
  /** Edits a text in the user's editor. */
  readonly edit?: EditText | undefined
}

/** A prompt that reads key by key: history, multi-line pastes, Ctrl-C without killing. */
export function openRawPrompt(terminal: Terminal, host: RawHost): Prompt {
  const { output } = terminal
  const openEditor = host.edit
  const screen = createScreen(output)
  const editor = createLineEditor(screen, host)
  let waiting: Key[] = []
  let state: PromptState = { kind: 'idle' }
  /** Ctrl-C came after a message was sent, before its work started. */
  let interrupted = false

  const press = (key: Key) => {
    if (state.kind === 'asking') typeKey(key, state)
    else if (state.kind === 'confirming') handleAnswerKey(key, state)
    else if (key.name === 'suspend' && state.kind === 'working') held.suspend(() => undefined)
    else if (key.name !== 'interrupt') waiting.push(key)
    else {
      waiting = []
      if (state.kind === 'working') state.interrupt()
      else interrupted = true
    }
  }

  const typeKey = (key: Key, asking: Asking) => {
    const outcome = editor.press(key)
    switch (outcome.kind) {
      case 'none':
        break
      case 'suspend':
        screen.erase()
        held.suspend(() => editor.drawSoon())
        break
      case 'open-editor':
        void editLine(asking)
        break
      case 'send':
      case 'leave':
        state = { kind: 'idle' }
        asking.answer(outcome.kind === 'send' ? outcome.text : undefined)
        break
      default:
        outcome satisfies never
    }
  }

  const handleAnswerKey = (key: Key, { read, answer }: Extract<PromptState, { kind: 'confirming' }>) => {
    const choice = read(key)
    if (choice === undefined) return
    state = { kind: 'idle' }
    answer(choice)
  }

  /** Edits the line in the user's editor. */
  const editLine = async (asking: Asking) => {
    if (!openEditor) return
    state = { kind: 'idle' }
    screen.erase()
    const edited = await runEditor(openEditor, editor.text)
    if (state.kind !== 'idle') return
    state = asking
    editor.replace(edited.text, edited.kind === 'failed' ? edited.reason : undefined)
    pressWaiting()
  }

  const runEditor = (open: EditText, text: string) => held.lend(() => open(text))

  const pressWaiting = () => {
    const typed = waiting
    waiting = []
    for (const key of typed) press(key)
  }

  const held = holdTerminal(terminal, { onKey: press, onResize: () => editor.redrawAll() })

  return {
    ask: (draft) =>
      new Promise((answer) => {
        if (state.kind === 'closed') {
          answer(undefined)
          return
        }
        state = { kind: 'asking', answer }
        interrupted = false
        editor.begin(draft)
        pressWaiting()
      }),
    confirm: (question, offers = []) =>
      new Promise((answer) => {
        if (state.kind === 'closed') {
          answer('leave')
          return
        }
        interrupted = false
        state = { kind: 'confirming', answer, read: createYesOrNoReader(question, offers, output) }
      }),
    async during(work, interrupt) {
      const working: PromptState = { kind: 'working', interrupt }
      state = working
      if (interrupted) interrupt()
      try {
        return await work
      } finally {
        if (state === working) state = { kind: 'idle' }
      }
    },
    ...(openEditor && { edit: (text: string) => runEditor(openEditor, text) }),
    close() {
      if (state.kind === 'closed') return
      if (state.kind === 'asking') {
        editor.end(editor.text)
        state.answer(undefined)
      }
      if (state.kind === 'confirming') handleAnswerKey({ name: 'end-of-input' }, state)
      state = { kind: 'closed' }
      held.close()
    },
  }
}

interface Asking {
  readonly kind: 'asking'
  readonly answer: (text: string | undefined) => void
}

type PromptState =
  | { readonly kind: 'idle' | 'closed' }
  | Asking
  | {
      readonly kind: 'confirming'
      readonly answer: (choice: Confirmation) => void
      readonly read: (key: Key) => Confirmation | undefined
    }
  | { readonly kind: 'working'; readonly interrupt: () => void }
