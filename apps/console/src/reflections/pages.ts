/** The pages of reflections, in one part of the bundle. */
export { AskPage } from './ask/ask-page.tsx'
export { FactsPage } from './facts/facts-page.tsx'
export { MembersPage } from './members/members-page.tsx'
export { OverviewPage } from './overview/overview-page.tsx'
export { PatchesPage } from './patches/patches-page.tsx'
export { ReflectionFrame } from './reflection-frame.tsx'
export { ReflectionsPage } from './reflections-page.tsx'
export { SourcesPage } from './sources/sources-page.tsx'
