import type { Role } from '@parley/contracts'
import { type AnyRoute, type AnyRouter, useMatches, useRouter } from '@tanstack/react-router'
import type { IconName } from '../ui/icon.tsx'
import { hasRole } from './roles.ts'

/** The places that list pages: the side bar, and the tabs of a reflection, of its runtime and of a session. */
type NavGroup = 'main' | 'reflection' | 'runtime' | 'session'

/** How navigation shows a page. Its route in `router.tsx` holds this record beside its path and component. */
interface PageRecord {
  /** The name in links and in the browser's title. Absent: the page sets its own title. */
  readonly label?: string
  /** Absent: the page is not listed. */
  readonly nav?: NavGroup
  readonly icon?: IconName
  /** The lowest role that sees the link: on the server, or in the reflection. Absent: everybody sees it. */
  readonly minRole?: Role
  /** True if its link stays marked on the pages below its path. */
  readonly hasSubpages?: true
  /** False if the browser's title names only the frame around the page. */
  readonly isInTitle?: false
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption extends PageRecord {}
}

export interface PageLink extends PageRecord {
  readonly label: string
  readonly to: string
}

/** All listed pages, in the order of their records. */
export const listPages = ({ routesById }: Pick<AnyRouter, 'routesById'>): readonly PageLink[] =>
  Object.values<AnyRoute>(routesById).flatMap(({ to, options: { staticData: record } }) =>
    record?.label !== undefined && record.nav ? [{ ...record, label: record.label, to }] : [],
  )

/** The pages of a group that a person in this role sees. */
export const filterPages = (
  pages: readonly PageLink[],
  group: NavGroup,
  role: Role | undefined,
): readonly PageLink[] =>
  pages.filter(({ nav, minRole }) => nav === group && (minRole === undefined || hasRole(role, minRole)))

export const usePageLinks = (group: NavGroup, role?: Role): readonly PageLink[] =>
  filterPages(listPages(useRouter()), group, role)

export const usePageRecord = (): PageRecord =>
  useMatches({ select: (matches) => matches.at(-1)?.staticData }) ?? {}
