import type { Surface } from '@parley/contracts'

/** The three agents of a reflection, as a person calls them. */
export const SURFACES: Readonly<Record<Surface, { readonly label: string; readonly help: string }>> = {
  standard: { label: 'Private, first time', help: 'For members who talk with it for the first time.' },
  memory: { label: 'Private, again', help: 'For members who were here before: it knows what was last said.' },
  public: { label: 'Public', help: 'For whoever comes by a link. Built from what is published alone.' },
}
