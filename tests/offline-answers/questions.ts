import type { Audience } from '@parley/contracts'

interface Expected {
  readonly audience: Audience
  readonly question: string
  /** What the answer has to say, in any case. */
  readonly says: RegExp
}

const asked = (audience: Audience, rows: readonly (readonly [string, RegExp])[]): readonly Expected[] =>
  rows.map(([question, says]) => ({ audience, question, says }))

/** Written from reading the demo's sources, as somebody would ask who has not read them. */
export const ANSWERED: readonly Expected[] = [
  ...asked('public', [
    ['Where were you born?', /Hallan Quay/],
    ['Where did you grow up?', /^I .*Hallan Quay/],
    ['Where did she grow up?', /^I .*Hallan Quay/],
    ['Where was she born?', /^I was born in Hallan Quay/],
    ['When were you born?', /14 March 1968/],
    ['Which languages do you speak?', /I speak (?:Dutch|English|Norwegian|Portuguese)\b.* and /],
    ['What did you study?', /zoology|marine ecology/],
    ['Where did you study?', /Bergen|Aberdeen/],
    ['What was your doctoral thesis about?', /horse mussels/],
    ['What instrument do you play?', /concertina/],
    ['Do you drink coffee?', /never coffee/],
    ['Which medal did you win in 2018?', /Halvard Lind/],
    ['Which prize did you decline?', /Commodore's Prize/],
    ['What books have you written?', /Low Water Notes|Field Guide to Waiting/],
    ['When did you come back to Sundrey?', /2019/],
    ['What is your sister called?', /Liv/],
    ['What does your daughter do for a living?', /fiddles/],
    ['Who is Joana Serrado?', /Joana Serrado/],
    ['How many doctoral students did you supervise?', /eleven doctoral students/],
    ['How many hectares have you planted?', /fourteen hectares/],
    ['How old were you when you passed the boatmaster’s licence?', /fifty-five/],
    ['Who is Eben Strake?', /engineer|every wreck/],
    ['Who sews the hessian bags?', /lunch club/],
    ['What does it cost to restore one hectare?', /eighteen thousand four hundred/i],
    ['How long can eelgrass live in the dark?', /three weeks/],
    ['What happened in the Candlemas storm?', /north plot/],
    ['How many volunteers are there?', /two hundred and twelve/],
    ['Do you still dive?', /better knees/],
    ['What was your father’s job?', /ferry/],
    ['When was the last run of the Constant Anna?', /199[34]|thirtieth of September/],
    ['How many rungs does the rope ladder have?', /nine rungs/],
  ]),
  ...asked('private', [
    ['Where were you born?', /Hallan Quay|Pellworth/],
    ['Where did she grow up?', /^I .*Hallan Quay/],
    ['Were you adopted?', /adopted/],
    ['When was Signe born?', /June of 1997|3 June/],
    ['What blood group are you?', /O negative/],
    ['What are you allergic to?', /shellfish/],
    ['Where is the key to the blue tin?', /behind the tide clock/],
    ['Where did you meet Joaquim?', /tram/],
    ['Who were you married to?', /Henrik/],
    ['What are you afraid of?', /speaking in public|ear on the other side/],
    ['How old is Duncan?', /fifty-one/],
    ['When was your last dive?', /9 July/],
    ['What book are you writing?', /grandfather|Slack Water/],
    ['Who found the first pipefish?', /Morwen/],
    ['How many copies of your cassette are there?', /four copies/],
    ['What interest did Anselm charge?', /three per cent/i],
    ['What is the name of your spreadsheet?', /Zosterly/],
    ['When did Agnes Tulloway die?', /1994/],
    ['What did you play in the band in Aberdeen?', /Lanternfall|concertina/],
    ['How much is the meadow that stands, by the drone?', /11\.6/],
    ['Who is your doctor?', /Okell/],
    ['When is your next appointment with Dr Okell?', /21 May 2026/],
    ['How many attacks did you have in 2022?', /nineteen/],
    ['Did you marry Joaquim?', /not going to marry|third time/],
    ['Why did you turn down Seattle?', /first fall|because my mother/],
  ]),
]

/** Of which the sources say nothing, though they share words with some. */
export const UNANSWERED: readonly string[] = [
  'What is your favourite colour of submarine?',
  'What is the capital of Peru?',
  'Which football team do you support?',
  'How tall are you?',
  'Do you play chess?',
  'What car do you drive?',
  'What is your star sign?',
  'Which films do you like?',
  'Have you ever been to Tokyo?',
  'What is your shoe size?',
  'What is the number of your passport?',
  'Who will win the next election?',
  'How do I reset my router?',
  'What do you think of quantum computers?',
  'Who is your favourite painter?',
  'Do you have a horse?',
]
