/** Text from a model or a store as it may reach a terminal: newlines and tabs act, every other control is only seen. */
export function neutralise(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ACTING, picture)
}

/** The same for what a person judges by: what could not be seen stands there by its number, line ends too. */
export function reveal(text: string): string {
  return text
    .replace(UNSEEN, (found) => (ALONE.test(found) ? numberOf(found) : found))
    .replace(ACTING, picture)
}

/** Revealed, and in one line whatever it holds. */
export const inOneLine = (text: string): string => reveal(text).replaceAll('\n', '␊').replaceAll('\t', '␉')

/** The same for text that comes in pieces, whatever they cut in two. */
export function createNeutraliser() {
  let held = ''
  return {
    write(piece: string): string {
      const text = held + piece
      held = UNFINISHED.exec(text)?.[0] ?? ''
      return neutralise(text.slice(0, text.length - held.length))
    },
    flush(): string {
      const rest = held
      held = ''
      return neutralise(rest)
    },
  }
}

/** C0 and C1 controls but newline and tab, and the marks that turn the direction of the text around them. */
// oxlint-disable-next-line no-control-regex -- finding them is the matter here
const ACTING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** What has no form of its own, and emoji, which hold some of it rightly. */
const UNSEEN = /\p{RGI_Emoji}|[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/gv
const ALONE = /^[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]$/v

const numberOf = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`

const UNFINISHED = /[\r\uD800-\uDBFF]$/

/** Unicode has a picture of each C0 control and of DEL. */
function picture(control: string): string {
  const code = control.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}
