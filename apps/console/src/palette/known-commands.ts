import type { Me, Reflection, SessionView } from '@parley/contracts'
import { partsFor } from '../reflections/parts.ts'
import { rightsOf } from '../reflections/rights-of.ts'
import { navigationFor } from '../shell/navigation.ts'
import type { Command, PaletteAction } from './command.ts'

interface Known {
  readonly me: Pick<Me, 'role' | 'isInvited'>
  readonly reflections: readonly Reflection[]
  readonly sessions: readonly SessionView[]
}

/** All that can be offered from what is known: pages, talks, actions, then reflections part by part, and sessions. */
export function knownCommands({ me, reflections, sessions }: Known): readonly Command[] {
  return [
    ...reflections.map(talkWith),
    ...navigationFor(me.role).map(({ label, to }) => go('Page', label, to)),
    ...ACTIONS.filter(([action]) => !me.isInvited || action !== 'new-session').map(([action, label, words]) =>
      act(action, label, words),
    ),
    ...reflections.flatMap(partsOf),
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
