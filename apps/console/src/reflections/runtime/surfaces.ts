import type { AgentSurface } from '@parley/contracts'

/** The agents of a reflection, as a person calls them. */
export const SURFACES: Readonly<Record<AgentSurface, { readonly label: string; readonly help: string }>> = {
  standard: { label: 'Private, first time', help: 'For members who talk with it for the first time.' },
  memory: { label: 'Private, again', help: 'For members who were here before: it knows what was last said.' },
  public: { label: 'Public', help: 'For whoever comes by a link. Built from what is published alone.' },
  public_part: {
    label: 'Public, part',
    help: 'For calls by a link to some of the published namespaces. It is told those alone, call by call.',
  },
}
