/** The same key for all spellings of a name. Ignores case, accents, articles and possessives. */
export function toEntityKey(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’‘ʼ`´]/g, "'")
  const withoutOwner = plain.replace(/^.*\p{L}(?:'s|s') (?=\S)/u, '')
  const words = withoutOwner
    .replace(/'s(?![\p{L}\p{N}])/gu, '')
    .replace(/'/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  while (words.length > 1 && LEADING_WORDS.has(words[0] ?? '')) words.shift()
  return words.join(' ').slice(0, MAX_KEY_LENGTH)
}

const MAX_KEY_LENGTH = 120

const LEADING_WORDS = new Set(
  'the a an my our your his her their its this that der die das den dem ein eine einen mein meine unser unsere'.split(
    ' ',
  ),
)

/** The names of a reflection's person: as displayed, and their own if different. */
export interface PersonNames {
  readonly displayName: string
  readonly creatorName?: string | undefined
}

/** Whether a name is the full name or first name of the reflection's person. */
export function isCreator(name: string, { displayName, creatorName }: PersonNames): boolean {
  if (/['’]s?\s/.test(name)) return false
  const key = toEntityKey(name)
  if (key === '') return false
  return [displayName, creatorName ?? displayName].map(toEntityKey).some((known) => {
    const [first = ''] = known.split(' ')
    return (
      key === known ||
      key === first ||
      (first !== '' && key.startsWith(`${first} `) && known.endsWith(getLastWord(key)))
    )
  })
}

const getLastWord = (key: string): string => key.slice(key.lastIndexOf(' '))
