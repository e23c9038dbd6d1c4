import type { VoiceEvidence } from '@parley/contracts'

/** What a person would ask to hear it. A predicate without a row has no question that sounds like one. */
const QUESTIONS: ReadonlyMap<string, string> = new Map([
  ['lives_in', 'Where do you live?'],
  ['lived_in', 'Where have you lived?'],
  ['moved_to', 'Where did you move to?'],
  ['born_in', 'Where were you born?'],
  ['born_on', 'When were you born?'],
  ['grew_up_in', 'Where did you grow up?'],
  ['comes_from', 'Where do you come from?'],
  ['works_as', 'What do you work as?'],
  ['works_at', 'Where do you work?'],
  ['worked_as', 'What have you worked as?'],
  ['worked_at', 'Where have you worked?'],
  ['studied', 'What did you study?'],
  ['studied_at', 'Where did you study?'],
  ['graduated_from', 'Where did you graduate from?'],
  ['founded', 'What did you found?'],
  ['wrote', 'What did you write?'],
  ['won', 'What did you win?'],
  ['built', 'What did you build?'],
  ['married_to', 'Whom are you married to?'],
  ['has_relative', 'Who is in your family?'],
  ['friend_of', 'Who is a friend of yours?'],
  ['likes', 'What do you like?'],
  ['dislikes', 'What do you dislike?'],
  ['prefers', 'What do you prefer?'],
  ['has_favourite', 'What is your favourite?'],
  ['plays', 'What do you play?'],
  ['drinks', 'What do you drink?'],
  ['speaks', 'Which languages do you speak?'],
  ['allergic_to', 'What are you allergic to?'],
  ['believes', 'What do you believe?'],
  ['plans_to', 'What do you plan to do?'],
])

/** A question that the fact would answer, and that says nothing of the fact. */
export const questionAbout = ({ predicate }: Pick<VoiceEvidence, 'predicate'>): string | undefined =>
  QUESTIONS.get(predicate)
