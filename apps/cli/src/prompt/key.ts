import type { Key as Keypress } from 'node:readline'

/** What a person did at the keyboard, in the editor's words. */
export type Key =
  | { readonly name: 'text' | 'paste'; readonly text: string }
  | { readonly name: Exclude<KeyName, 'text' | 'paste'> }

export type KeyName =
  | 'clear-screen'
  | 'cut-to-end'
  | 'cut-to-start'
  | 'delete'
  | 'delete-back'
  | 'delete-word'
  | 'down'
  | 'end'
  | 'end-of-input'
  | 'enter'
  | 'home'
  | 'interrupt'
  | 'left'
  | 'newline'
  | 'paste'
  | 'right'
  | 'suspend'
  | 'text'
  | 'up'
  | 'word-left'
  | 'word-right'

/** Turns Node's keypresses into keys; a paste is one, however many lines it has. */
export function createKeyReader(): (character: string | undefined, keypress: Keypress) => Key | undefined {
  let pasted: string[] | undefined
  return (character, keypress) => {
    if (keypress.name === 'paste-start') {
      pasted = []
      return undefined
    }
    if (keypress.name === 'paste-end') {
      const text = (pasted ?? []).join('').replace(/\r\n?/g, '\n')
      pasted = undefined
      return { name: 'paste', text }
    }
    if (pasted) {
      pasted.push(keypress.sequence ?? character ?? '')
      return undefined
    }
    const name = KEY_NAMES[chordOf(keypress)]
    if (name) return { name }
    return character && !/^\p{Cc}/u.test(character) ? { name: 'text', text: character } : undefined
  }
}

const chordOf = ({ name, ctrl, meta }: Keypress): string =>
  `${ctrl ? 'ctrl-' : ''}${meta ? 'alt-' : ''}${name ?? ''}`

const KEY_NAMES: Readonly<Record<string, Exclude<KeyName, 'text' | 'paste'>>> = {
  return: 'enter',
  enter: 'enter',
  'alt-return': 'newline',
  'alt-enter': 'newline',
  backspace: 'delete-back',
  'ctrl-h': 'delete-back',
  'alt-backspace': 'delete-word',
  'ctrl-w': 'delete-word',
  delete: 'delete',
  left: 'left',
  'ctrl-b': 'left',
  right: 'right',
  'ctrl-f': 'right',
  'ctrl-left': 'word-left',
  'alt-left': 'word-left',
  'alt-b': 'word-left',
  'ctrl-right': 'word-right',
  'alt-right': 'word-right',
  'alt-f': 'word-right',
  up: 'up',
  'ctrl-p': 'up',
  down: 'down',
  'ctrl-n': 'down',
  home: 'home',
  'ctrl-a': 'home',
  end: 'end',
  'ctrl-e': 'end',
  'ctrl-k': 'cut-to-end',
  'ctrl-u': 'cut-to-start',
  'ctrl-l': 'clear-screen',
  'ctrl-c': 'interrupt',
  'ctrl-d': 'end-of-input',
  'ctrl-z': 'suspend',
}
