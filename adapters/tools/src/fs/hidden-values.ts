import { maskSecrets, type Secret } from '@parley/engine'

/** What must not be shown of files. A part of a value tells of it too, so texts are masked before they are cut. */
export interface HiddenValues {
  readonly mask: (text: string) => string
  /** Whether bytes that are shown as they are, such as a picture, hold a value. */
  readonly isIn: (bytes: Uint8Array) => boolean
}

export const hiddenValues = (secrets: () => readonly Secret[]): HiddenValues => ({
  mask: (text) => maskSecrets(text, secrets()),
  isIn(bytes) {
    const text = Buffer.from(bytes).toString('latin1')
    // Documents often hold texts in UTF-16, which for most letters is a zero and the letter.
    return [text, text.replaceAll('\0', '')].some(
      (each) => maskSecrets(each, secrets().map(inBytes)) !== each,
    )
  },
})

const inBytes = ({ name, value, otherForms = [] }: Secret): Secret => ({
  name,
  value: asBytes(value),
  otherForms: otherForms.map(asBytes),
})

const asBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')
