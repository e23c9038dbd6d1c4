import type { EditFileInput } from '@parley/contracts'

export type Edited =
  | { readonly kind: 'edited'; readonly text: string; readonly places: number }
  | { readonly kind: 'not-edited'; readonly why: string }

/** Replaces text that stands there exactly. Where all lines end in CRLF, what is given with LF is taken to mean that. */
export function editText(text: string, edit: Omit<EditFileInput, 'path'>): Edited {
  const endings = /\r\n/.test(text) && !/(?<!\r)\n/.test(text) ? toCrlf : asGiven
  const from = endings(edit.old_text)
  const to = endings(edit.new_text)
  if (from === to) return { kind: 'not-edited', why: 'old_text and new_text are the same.' }

  const parts = text.split(from)
  const places = parts.length - 1
  if (places === 0) return { kind: 'not-edited', why: whyNotFound(text, from) }
  if (places > 1 && edit.replace_all !== true)
    return {
      kind: 'not-edited',
      why: `old_text stands there ${places} times. Give more of what is around the place that is meant, or set replace_all.`,
    }
  if (text.length + places * (to.length - from.length) > LONGEST)
    return { kind: 'not-edited', why: `it would become longer than ${LONGEST} characters.` }
  return { kind: 'edited', text: parts.join(to), places }
}

const LONGEST = 10_000_000

const toCrlf = (text: string) => text.replace(/\r?\n/g, '\r\n')
const asGiven = (text: string) => text

function whyNotFound(text: string, from: string): string {
  const near = LOOSER.find(([, loosen]) => loosen(text).includes(loosen(from)))
  return `old_text does not stand there.${near ? ` ${near[0]}` : ' Read the file again and copy the text exactly.'}`
}

const LOOSER: readonly (readonly [string, (text: string) => string])[] = [
  ['It would but for line endings: the file has both CRLF and LF.', (text) => text.replaceAll('\r\n', '\n')],
  [
    'It would but for spaces, tabs or line breaks: copy them exactly.',
    (text) => text.replace(/\s+/g, ' ').trim(),
  ],
  ['It would but for upper and lower case.', (text) => text.toLowerCase()],
]
