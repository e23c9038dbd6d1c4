import { refuse, type Refusal } from '@parley/engine'
import { quoted } from './quoted.ts'

/** A repository's own settings, by their names in lower case; the last of each counts. */
export type Settings = ReadonlyMap<string, string>

/** From what `git config --list -z` says. */
export const settingsOf = (listed: string): Settings =>
  new Map(
    listed
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const [name = '', ...value] = entry.split('\n')
        // A name alone means yes.
        return [name.toLowerCase(), value.length === 0 ? 'true' : value.join('\n')] as const
      }),
  )

/** The config that git is run with: of the repository's own, only what says how its files are stored. */
export function standInConfig(settings: Settings): string | Refusal {
  const version = settings.get('core.repositoryformatversion') ?? '0'
  if (version !== '0' && version !== '1') return unknown(`format ${quoted(version)}`)
  for (const [name, value] of settings) {
    if (version === '0' || !name.startsWith('extensions.')) continue
    const isKnown = EXTENSIONS.get(name)?.test(value) ?? false
    if (!isKnown) return unknown(quoted(name))
  }
  const taken = TAKEN.flatMap((name) => {
    const value = settings.get(`core.${name}`)
    return value !== undefined && /^[a-z0-9]{1,20}$/i.test(value) ? [`\t${name} = ${value}`] : []
  })
  const format = version === '1' ? settings.get('extensions.objectformat') : undefined
  return [...FIXED, ...taken, ...(format ? ['[extensions]', `\tobjectFormat = ${format}`] : []), '']
    .join('\n')
    .replace('VERSION', format ? '1' : '0')
}

const unknown = (what: string): Refusal =>
  refuse(`The repository uses ${what} of git, which is not known here. Use git by hand.`, 'tool_unavailable')

/** What a repository may need its readers to know, with the values that we do know. */
const EXTENSIONS: ReadonlyMap<string, RegExp> = new Map([
  ['extensions.noop', /^/],
  ['extensions.objectformat', /^sha(1|256)$/],
  ['extensions.partialclone', /^/],
  ['extensions.preciousobjects', /^/],
  ['extensions.refstorage', /^files$/],
  ['extensions.relativeworktrees', /^/],
  ['extensions.worktreeconfig', /^/],
])

const TAKEN = [
  'filemode',
  'symlinks',
  'ignorecase',
  'precomposeunicode',
  'autocrlf',
  'eol',
  'sharedrepository',
]

const FIXED = [
  '[gc]',
  '\tauto = 0',
  '[maintenance]',
  '\tauto = false',
  '[protocol]',
  '\tallow = never',
  '[diff]',
  '\tignoreSubmodules = all',
  '[submodule]',
  '\trecurse = false',
  '[core]',
  '\trepositoryFormatVersion = VERSION',
  '\tbare = false',
  '\thooksPath = /dev/null',
  '\tattributesFile = /dev/null',
  '\texcludesFile = /dev/null',
  '\tfsmonitor = false',
  '\tsplitIndex = false',
  '\tquotePath = false',
  '\tprotectHFS = true',
  '\tprotectNTFS = true',
]
