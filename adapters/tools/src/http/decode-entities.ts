/** Characters in place of the names and numbers that HTML gives them; names that are rare stay as they are. */
export const decodeEntities = (text: string): string =>
  text.includes('&') ? text.replace(ENTITY, (whole, name: string) => characterOf(name) ?? whole) : text

const ENTITY = /&(#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}\d{0,2});/gi

function characterOf(name: string): string | undefined {
  if (!name.startsWith('#')) return NAMED.get(name) ?? NAMED.get(name.toLowerCase())
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : '\ufffd'
}

const NAMED: ReadonlyMap<string, string> = new Map(
  (
    'amp & lt < gt > quot " apos \' copy © reg ® trade ™ hellip … mdash — ndash – lsquo ‘ rsquo ’ sbquo ‚ ldquo “ ' +
    'rdquo ” bdquo „ laquo « raquo » lsaquo ‹ rsaquo › bull • middot · times × divide ÷ deg ° sect § para ¶ ' +
    'euro € pound £ yen ¥ cent ¢ larr ← rarr → uarr ↑ darr ↓ le ≤ ge ≥ ne ≠ minus − plusmn ± frac12 ½ ' +
    'auml ä Auml Ä ouml ö Ouml Ö uuml ü Uuml Ü szlig ß eacute é Eacute É egrave è agrave à aacute á ' +
    'ccedil ç ntilde ñ oacute ó uacute ú iacute í ecirc ê acirc â ocirc ô icirc î aring å Aring Å aelig æ oslash ø'
  )
    .split(' ')
    .reduce<[string, string][]>(
      (pairs, word, index, words) => {
        if (index % 2 === 0) pairs.push([word, words[index + 1] ?? ''])
        return pairs
      },
      [
        ['nbsp', ' '],
        ['ensp', ' '],
        ['emsp', ' '],
        ['thinsp', ' '],
        ['shy', ''],
        ['zwnj', ''],
      ],
    ),
)
