import { type PageLink, filterPages } from '../app/page-record.ts'
import { getSessionTitle } from '../session/text-labels.ts'
import type { Fact, Me, Reflection, SessionView, Source } from '@parley/contracts'
import { escapeInvisible } from '../ui/escape-invisible.ts'
import { MAX_SEARCH_LENGTH } from '../ui/use-debounced.ts'

interface CommandSources {
  readonly pages: readonly PageLink[]
  readonly me: Pick<Me, 'role' | 'isInvited'>
  readonly reflections: readonly Reflection[]
  readonly sessions: readonly SessionView[]
  /** Sources and facts loaded for some of the reflections. */
  readonly matches?: readonly ReflectionMatches[]
}

export interface ReflectionMatches {
  readonly reflection: Pick<Reflection, 'id' | 'displayName'>
  readonly sources: readonly Pick<Source, 'id' | 'title'>[]
  readonly facts: readonly Pick<Fact, 'id' | 'statement'>[]
}

/** All commands: conversations, pages, actions, parts of reflections, sources, facts, sessions. */
export function listCommands({
  pages,
  me,
  reflections,
  sessions,
  matches = [],
}: CommandSources): readonly Command[] {
  return [
    ...reflections.map(createTalkCommand),
    ...filterPages(pages, 'main', me.role).map(({ label, to }) => createLinkCommand('Page', label, to)),
    ...ACTIONS.filter(([action]) => !me.isInvited || action !== 'new-session').map(
      ([action, label, words]): Command => ({
        id: action,
        label,
        kind: 'Action',
        words,
        effect: { kind: 'act', action },
      }),
    ),
    ...reflections.flatMap((reflection) => listPageCommands(pages, reflection)),
    ...matches.flatMap(listSourceCommands),
    ...matches.flatMap(listFactCommands),
    ...sessions.map((session) =>
      createLinkCommand('Session', getSessionTitle(session), `/sessions/${session.sessionId}`),
    ),
  ]
}

const createLinkCommand = (kind: Command['kind'], label: string, href: string, words?: string): Command => ({
  id: `${kind} ${href}`,
  label,
  kind,
  ...(words !== undefined && { words }),
  effect: { kind: 'go', href },
})

const ACTIONS: readonly (readonly [PaletteAction, string, string])[] = [
  ['new-session', 'New session', 'start chat agent'],
  ['theme-light', 'Theme: light', 'colours bright'],
  ['theme-dark', 'Theme: dark', 'colours night'],
  ['theme-system', 'Theme: system', 'colours'],
  ['shortcuts', 'Keyboard shortcuts', 'keys help'],
  ['tour', 'Show the tour', 'help first steps introduction'],
  ['sign-out', 'Sign out', 'leave log out'],
]

const createTalkCommand = ({ id, displayName }: Reflection): Command =>
  createLinkCommand(
    'Action',
    `Talk with ${displayName}`,
    `/reflections/${id}/talk`,
    'speak voice call interview',
  )

/** The pages of a reflection, apart from its talk page. */
const listPageCommands = (pages: readonly PageLink[], { id, displayName, role }: Reflection) =>
  filterPages(pages, 'reflection', role)
    .filter(({ to }) => !to.endsWith('/talk'))
    .map(({ label, to }) =>
      createLinkCommand('Reflection', `${displayName}: ${label}`, to.replace('$reflectionId', id)),
    )

const listSourceCommands = ({
  reflection: { id, displayName },
  sources,
}: ReflectionMatches): readonly Command[] =>
  sources.map((source) => ({
    ...createLinkCommand('Source', escapeInvisible(source.title), `/reflections/${id}/sources/${source.id}`),
    of: displayName,
  }))

/** Links to the fact page, filtered by the fact's own text. */
const listFactCommands = ({ reflection, facts }: ReflectionMatches): readonly Command[] =>
  facts.map(({ id, statement }) => ({
    ...createLinkCommand(
      'Fact',
      escapeInvisible(statement),
      `/reflections/${reflection.id}/facts?search=${encodeURIComponent(statement.slice(0, MAX_SEARCH_LENGTH))}`,
    ),
    id: `Fact ${id}`,
    of: reflection.displayName,
  }))

/** Palette actions other than navigation. */
export type PaletteAction =
  | 'new-session'
  | 'theme-system'
  | 'theme-light'
  | 'theme-dark'
  | 'shortcuts'
  | 'tour'
  | 'sign-out'

export interface Command {
  readonly id: string
  readonly label: string
  /** Shown beside the label. */
  readonly kind: 'Page' | 'Reflection' | 'Session' | 'Action' | 'Source' | 'Fact'
  /** The reflection it belongs to, shown beside the kind. */
  readonly of?: string
  /** Extra search words. */
  readonly words?: string
  readonly effect:
    | { readonly kind: 'go'; readonly href: string }
    | { readonly kind: 'act'; readonly action: PaletteAction }
}
