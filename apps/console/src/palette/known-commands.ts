import type { Fact, Me, Reflection, SessionView, Source } from '@parley/contracts'
import { partsFor } from '../reflections/parts.ts'
import { rightsOf } from '../reflections/rights-of.ts'
import { navigationFor } from '../shell/navigation.ts'
import { visibleText } from '../ui/visible-text.ts'
import type { Command, PaletteAction } from './command.ts'

interface Known {
  readonly me: Pick<Me, 'role' | 'isInvited'>
  readonly reflections: readonly Reflection[]
  readonly sessions: readonly SessionView[]
  /** What was read of some of the reflections. */
  readonly held?: readonly Held[]
}

/** Of one reflection, what can be found by its words. */
export interface Held {
  readonly reflection: Pick<Reflection, 'id' | 'displayName'>
  readonly sources: readonly Pick<Source, 'id' | 'title'>[]
  readonly facts: readonly Pick<Fact, 'id' | 'statement'>[]
}

/** All that can be offered from what is known: pages, talks, actions, reflections part by part, what they hold, sessions. */
export function knownCommands({ me, reflections, sessions, held = [] }: Known): readonly Command[] {
  return [
    ...reflections.map(talkWith),
    ...navigationFor(me.role).map(({ label, to }) => go('Page', label, to)),
    ...ACTIONS.filter(([action]) => !me.isInvited || action !== 'new-session').map(([action, label, words]) =>
      act(action, label, words),
    ),
    ...reflections.flatMap(partsOf),
    ...held.flatMap(sourcesOf),
    ...held.flatMap(factsOf),
    ...sessions.map(({ sessionId, title }) =>
      go('Session', title ?? 'Untitled session', `/sessions/${sessionId}`),
    ),
  ]
}

const go = (kind: Command['kind'], label: string, href: string, words?: string): Command => ({
  id: `${kind} ${href}`,
  label,
  kind,
  ...(words !== undefined && { words }),
  does: { kind: 'go', href },
})

const act = (action: PaletteAction, label: string, words: string): Command => ({
  id: action,
  label,
  kind: 'Action',
  words,
  does: { kind: 'act', action },
})

const ACTIONS: readonly (readonly [PaletteAction, string, string])[] = [
  ['new-session', 'New session', 'start chat agent'],
  ['theme-light', 'Theme: light', 'colours bright'],
  ['theme-dark', 'Theme: dark', 'colours night'],
  ['theme-system', 'Theme: as the system', 'colours'],
  ['shortcuts', 'Keyboard shortcuts', 'keys help'],
  ['tour', 'Show the tour', 'help first steps introduction'],
  ['sign-out', 'Sign out', 'leave log out'],
]

const talkWith = ({ id, displayName }: Reflection): Command =>
  go('Action', `Talk with ${displayName}`, `/reflections/${id}/talk`, 'speak voice call interview')

function partsOf({ id, displayName, role }: Reflection): readonly Command[] {
  return partsFor(rightsOf(role))
    .filter(({ label }) => label !== 'Talk')
    .map(({ label, to }) => go('Reflection', `${displayName}: ${label}`, to.replace('$reflectionId', id)))
}

const sourcesOf = ({ reflection: { id, displayName }, sources }: Held): readonly Command[] =>
  sources.map((source) => ({
    ...go('Source', visibleText(source.title), `/reflections/${id}/sources/${source.id}`),
    of: displayName,
  }))

/** Leads to the facts of these very words, with what bears them out. */
const factsOf = ({ reflection, facts }: Held): readonly Command[] =>
  facts.map(({ id, statement }) => ({
    ...go(
      'Fact',
      visibleText(statement),
      `/reflections/${reflection.id}/facts?search=${encodeURIComponent(statement.slice(0, LONGEST_SEARCH))}`,
    ),
    id: `Fact ${id}`,
    of: reflection.displayName,
  }))

const LONGEST_SEARCH = 200
