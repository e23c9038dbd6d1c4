import type { About } from '../ports/fact-extractor.ts'
import { isCreator } from './is-creator.ts'
import type { Speaker } from './speaker-of.ts'

/** Whether a speaker's word counts for a subject: of the person, and of what is theirs, only the person tells. */
export function mayTell(speaker: Speaker, subject: string, about: About): boolean {
  if (speaker === (about.creatorName ?? about.displayName)) return true
  const [owner = ''] = subject.split(/['’]s\s/)
  return !isCreator(owner, about)
}
