import { KIN } from './find-subjects.ts'
import type { Predicate } from './predicates.ts'

/** An office, such as the master of a ferry. */
const OFFICE =
  '(?:master|head|director|captain|editor|chair|president|mayor|secretary|treasurer|owner|founder|member|keeper|godfather|godmother) (?:of|to) '

/** Lasting states in one word. */
const STANDING =
  '(?:adopted|divorced|widowed|orphaned|ordained|knighted|retired|vegetarian|vegan|left-handed|colour-blind|deaf|blind)(?=[.,;!]| (?:in|since|from|for|at|and|the) |$)'

const ILLNESS =
  "(?:\\p{Lu}[\\p{L}-]+['’]s(?: disease| syndrome)?(?=[.,;!]|$| since )|(?:asthma|diabetes|epilepsy|arthritis|tinnitus|migraines|hay fever|celiac disease|coeliac disease)(?![\\p{L}]))"

/** Products somebody makes or repairs, unlike mistakes or plans. */
const PLURAL =
  '(?= (?:[\\p{L}-]+ ){0,2}(?!(?:mistake|friend|plan|joke|note|effort|change|promise|excuse|thing|decision|arrangement|enemie|end|amend|wave|point|mean|way)s)[\\p{L}-]{3,}s(?: now| for [\\p{Ll}-]+ing| in \\p{Lu}\\p{L}+| and |[.,;]|$))'

const NAMED_THING = '(?= (?:the )?(?:\\p{Lu}|[\\p{Ll}-]+ (?:to|of|at|in) \\p{Lu}))'

const JOB = '(?:job|profession|occupation|trade)'

/** Valuable things, unlike a bun. */
const OF_WORTH =
  '(?= (?:(?:the|an?|my|our|two|three|some) (?:[\\p{Ll}-]+ ){0,3}\\p{Lu}|(?:(?:the|an?|my|our|his|her|their|two|three|some) )?(?:[\\p{Ll}-]+ ){0,3}(?:house|home|cottage|flat|apartment|farm|cabin|land|field|garden|workshop|shop|business|company|shares|boat|dinghy|ship|yacht|car|van|lorry|motorbike|motorcycle|tractor|bicycle|bike|horse|pony|dog|cat|piano|fiddle|violin|cello|guitar)s?(?![\\p{L}])))'

/** Kept animals. */
const KEPT =
  '(?= (?:[\\p{Ll}-]+ ){0,2}(?:bees|chickens|hens|ducks|geese|pigeons|goats|sheep|pigs|cows|horses|ponies|rabbits|alpacas|llamas|donkeys|fish|parrots|snakes|tortoises)(?![\\p{L}]))'

/** Excludes adverbs, such as "studied hard". */
const NOT_HOW =
  '(?! (?:hard|abroad|together|alone|late|well|badly|there|here|all|every|each|until|till|under|for|with|the|a lot|too|more|less|again|everything)(?![\\p{L}]))'

/** Excludes destinations, such as "going to Rome". */
const TO_DO =
  '(?! (?:the|an?|my|our|his|her|their|your|this|that|these|those|some|school|work|bed|town|church|university|\\p{Lu}[\\p{L}’-]*)(?![\\p{L}]))'

/** Excludes people and animals with a name: another rule names them. */
const NOT_CALLED =
  '(?! an? (?:[\\p{Ll}-]+ ){0,2}(?:brother|sister|son|daughter|dog|cat|horse),? (?:called|named) )'

const FOR_A_TERM =
  '(?= (?:the )?\\p{Lu}[^.;:]{1,60}? (?:from|between) (?:\\p{Lu}\\p{L}+ )?\\d{4} (?:to|until|till|and) )'

const ANY_MORE = '(?=[^.;:]{1,60}? any ?more)'

/** The expected form of an object. */
export type ObjectKind = 'place' | 'name' | 'thing' | 'role' | 'list' | 'clause' | 'date' | 'word'

export interface SentenceRule {
  readonly predicate: Predicate
  /** Pattern between subject and object. */
  readonly verb: string
  readonly object: ObjectKind
  readonly confidence: number
  readonly kind: 'event' | 'state'
}

const createRule = (
  predicate: Predicate,
  verb: string,
  object: ObjectKind,
  confidence: number,
  kind: SentenceRule['kind'] = 'state',
): SentenceRule => ({ predicate, verb, object, confidence, kind })

/**
 * In a verb, `~` is the ending of the third person, and {be}, {was}, {have} take the form for the subject. A negation or a
 * modal verb between subject and verb prevents a match.
 */
export const RULES: readonly SentenceRule[] = [
  createRule(
    'lives_in',
    '(?:live~|reside~|{be} living|{be} based|{have} lived|{have} been living)(?: \\p{Ll}+ly| alone| here| with [^,;]{1,40}?)? (?:in|on|near|at)',
    'place',
    0.9,
  ),
  createRule(
    'lived_in',
    '(?:lived|used to live|was living|resided|spent [^,;.]{1,30}?)(?: for [^,;.]{1,25}?)? (?:in|on|near)',
    'place',
    0.85,
  ),
  createRule('not_lives_in', 'no longer live~ (?:in|on)', 'place', 0.85),
  createRule(
    'moved_to',
    '(?:moved|relocated|emigrated|immigrated|returned|came back|went back|came home)(?: back| from [^,;.]{1,40}?| away| house)? (?:to|into)',
    'place',
    0.85,
    'event',
  ),
  createRule(
    'born_in',
    '(?:{was}|{be}) born(?: and (?:raised|grew up))?(?: on [^,;.]{4,25}?)?(?: in \\d{4})? (?:in|on|at)',
    'place',
    0.95,
    'event',
  ),
  createRule(
    'born_on',
    '(?:{was}|{be}) born(?: (?:in|on) (?:the )?\\p{Lu}[\\p{L}’-]*(?: (?:of )?\\p{Lu}[\\p{L}’-]*){0,3},?)? (?:in|on)',
    'date',
    0.95,
    'event',
  ),
  createRule('grew_up_in', '(?:grew up|{was} raised|{was} brought up) (?:in|on|near)', 'place', 0.9),
  createRule('comes_from', '(?:come~|{be}) (?:originally )?from', 'place', 0.75),
  createRule('died_in', '(?:died|passed away) (?:in|on)', 'date', 0.85, 'event'),
  createRule(
    'works_as',
    '(?:work~|{be} working|{be} employed|{have} worked|{have} been working)(?: [\\p{Ll}-]+)? as',
    'role',
    0.9,
  ),
  createRule(
    'worked_as',
    '(?:worked|used to work|started|began|served|{was} working|{was} employed)(?: [\\p{Ll}-]+)? as',
    'role',
    0.85,
  ),
  createRule(
    'works_at',
    '(?:work~|{be} working|{be} employed|teach~|{have} worked|{have} been working)(?: as [^,;.]{2,50}?)? (?:at|for|by|with)',
    'thing',
    0.85,
  ),
  createRule(
    'worked_at',
    '(?:worked|used to work|{was} working|{was} employed|taught)(?: as [^,;.]{2,50}?)? (?:at|for|by|with)',
    'thing',
    0.8,
  ),
  createRule('was_at', `{was} (?:at|with)${FOR_A_TERM}`, 'thing', 0.8),
  createRule(
    'not_works_at',
    `(?:no longer work~|stopped working|{be} no longer (?:working|employed)) (?:at|for|with|by)`,
    'thing',
    0.85,
  ),
  createRule('not_works_at', `(?:{do}n(?:'|’)t|{do} not) work (?:at|for|with)${ANY_MORE}`, 'thing', 0.85),
  createRule(
    'is_a',
    '{be}(?: now| still| also| really| by (?:profession|trade|training))?,?(?= an? | the (?:owner|head|director|author|captain|founder|mother|father|editor|president|chair|youngest|oldest|eldest|only|first|last|second|third) )',
    'role',
    0.8,
  ),
  createRule(
    'is_a',
    `{be}(?: now| still| also)?(?= \\p{Lu}[\\p{L}-]+['’]s? (?:${KIN.join('|')})(?![\\p{L}]))`,
    'role',
    0.8,
  ),
  createRule('is_a', `{be}(?: now| still| also)?(?= ${OFFICE})`, 'role', 0.8),
  createRule('is_a', `(?:{be}|{have} been)(?= ${STANDING})`, 'word', 0.85),
  createRule('not_is_a', '{be} (?:not|no longer)(?= an? )', 'role', 0.7),
  createRule('was_a', '{was}(?: once| then| also)?(?= an? )', 'role', 0.7),
  createRule('was_a', `{was}(?: once| then| also)?(?= (?:the )?${OFFICE})`, 'role', 0.75),
  createRule('was_a', `{was}(?= ${STANDING})`, 'word', 0.85),
  createRule('became', `became(?= an? | (?:the )?${OFFICE})`, 'role', 0.8, 'event'),
  createRule(
    'became',
    `got(?= (?:divorced|married|engaged|widowed)(?:[.,;!]| in | on |$))`,
    'word',
    0.85,
    'event',
  ),
  createRule('retired_from', 'retired (?:from|as)', 'thing', 0.85, 'event'),
  createRule(
    'studied_at',
    "(?:studied|trained|took (?:a|an|my|his|her) (?:degree|doctorate|master’s|master's|phd))(?: [^,;.]{2,60}?)? (?:at)",
    'thing',
    0.85,
  ),
  createRule('studied', `(?:studied|{have} studied|stud(?:y|ies))${NOT_HOW}`, 'role', 0.75),
  createRule(
    'graduated_from',
    'graduated(?: in [^,;.]{2,40}?| with [^,;.]{2,40}?)? (?:from|at)',
    'thing',
    0.9,
    'event',
  ),
  createRule('married_to', '(?:{be} married to|{have} been married to|got married to|married)', 'name', 0.9),
  createRule('was_married_to', '{was} married to', 'name', 0.85),
  createRule('friend_of', '(?:{be}|{have} been) (?:good |old |close |best )?friends with', 'name', 0.8),
  createRule(
    'likes',
    '(?:like~|love~|adore~|enjoy~|{be} (?:very )?fond of|{have} always (?:loved|liked)|{be} keen on)',
    'list',
    0.85,
  ),
  createRule(
    'dislikes',
    "(?:dislike~|hate~|detest~|loathe~|can(?:no|'|’)t stand|(?:{do}n(?:'|’)t|{do} not|never) (?:really )?(?:like|enjoy|love|liked|enjoyed|loved)|{have} never (?:liked|loved|enjoyed))",
    'list',
    0.8,
  ),
  createRule('prefers', 'prefer~', 'list', 0.85),
  createRule(
    'owns',
    `(?:own~|{have}${NOT_CALLED}(?= (?:an?|two|three|four|five|six) (?:[\\p{Ll}-]+ ){0,2}(?:house|cottage|flat|farm|cabin|garden|workshop|shop|boat|dinghy|ship|car|bicycle|bike|dog|cat|horse|piano|fiddle|violin|guitar|brother|sister|son|daughter|child|children|grandchild|grandchildren|boy|girl)s?(?![\\p{L}])))`,
    'thing',
    0.65,
  ),
  createRule('is_called', '(?:{be} (?:called|named)|bear~ the name)', 'name', 0.9),
  createRule('speaks', 'speak~(?: fluent| some| a little)?', 'list', 0.85),
  createRule('keeps', `keep~${KEPT}`, 'list', 0.8),
  createRule('plays', 'play~(?: the)?', 'list', 0.7),
  createRule('drinks', 'drink~', 'list', 0.75),
  createRule('allergic_to', '(?:{be}|{have} been) allergic to', 'list', 0.9),
  createRule(
    'believes',
    '(?:believe~|{be} convinced|{have} always believed|{have} come to believe)(?: now)?(?! (?:in|me|you|him|her|them|it|so|now)\\b)(?: that)?',
    'clause',
    0.7,
  ),
  createRule('plans_to', `(?:plan~|intend~|{be} planning|{be} going) to${TO_DO}`, 'clause', 0.6),
  createRule('founded', '(?:co-?founded|founded|started|set up|established)', 'thing', 0.75, 'event'),
  createRule('wrote', '(?:wrote|published|{have} written|{have} published)', 'thing', 0.75, 'event'),
  createRule('won', '(?:won|{was} awarded|received)', 'thing', 0.75, 'event'),
  createRule('bought', `bought${OF_WORTH}`, 'thing', 0.75, 'event'),
  createRule('sold', `sold${OF_WORTH}`, 'thing', 0.75, 'event'),
  createRule('built', 'built', 'thing', 0.75, 'event'),
  createRule('adopted', 'adopted', 'thing', 0.8, 'event'),
  createRule('passed', 'passed(?= (?:my|his|her|the|an?) )', 'thing', 0.75, 'event'),
  createRule('declined', 'declined', 'thing', 0.75, 'event'),
  createRule('joined', 'joined', 'thing', 0.75, 'event'),
  createRule('met', '(?:first )?met(?! with| me| up)', 'name', 0.75, 'event'),
  createRule('led', `(?:led|directed|headed|managed)${NAMED_THING}`, 'thing', 0.7),
  createRule('ran', `ran${NAMED_THING}`, 'thing', 0.7),
  createRule('learned', '(?:learned|learnt|taught myself)(?= (?:to |how to |\\p{Lu}))', 'list', 0.7, 'event'),
  createRule(
    'gave_up',
    '(?:gave up|quit|stopped)(?= (?:smoking|drinking|diving|[\\p{Ll}-]+ing(?:[.,;]| in | at | for )|coffee|tea|sugar|meat|alcohol|cigarettes|the \\p{Ll}+))',
    'thing',
    0.7,
    'event',
  ),
  createRule(
    'is_writing',
    '{be} (?:now |still )?writing(?= (?:an?|my|the) (?:[\\p{Ll}-]+ )?(?:book|novel|thesis|memoir|play|biography|history|opera|symphony))',
    'thing',
    0.8,
  ),
  createRule(
    'has_condition',
    `(?:suffer~ from|{was} diagnosed with|{have} been diagnosed with|{have}(?= ${ILLNESS}))`,
    'thing',
    0.8,
  ),
  createRule('makes', `(?:make~|build~)${PLURAL}`, 'thing', 0.7),
  createRule('mends', `(?:mend~|repair~)${PLURAL}`, 'thing', 0.7),
  createRule('left', 'left(?= (?:the \\p{Lu}|\\p{Lu}|school|university|home))', 'thing', 0.6, 'event'),

  createRule('lives_in', '(?:wohn{et}|leb{et})(?: seit \\d{4})? (?:in|auf|bei)', 'place', 0.85),
  createRule('works_as', 'arbeit{eet}(?: seit \\d{4})? als', 'role', 0.85),
  createRule('works_at', 'arbeit{eet}(?: seit \\d{4})? (?:bei|für)', 'thing', 0.8),
  createRule(
    'born_in',
    '(?:bin|ist|wurde)(?: am [\\d. \\p{L}]{4,25}?)? in(?= \\p{Lu}[\\p{L}-]+ geboren)',
    'place',
    0.9,
    'event',
  ),
  createRule('likes', '(?:mag|lieb{et})(?! (?:nicht|kein|dich|ihn|sie))', 'list', 0.75),
  createRule('dislikes', '(?:hass{et}|mag kein(?:en?)?)', 'list', 0.75),
  createRule('is_called', 'heißt', 'name', 0.9),
]

/** Rules for "my favourite colour is green" and "my job is …", by the words before the verb. */
export const POSSESSIVE_RULES: readonly {
  readonly words: RegExp
  readonly predicate: Predicate
  readonly confidence: number
}[] = [
  {
    words: /^(?:all-time )?favou?rite (?<thing>[\p{L} -]{2,30}?) (?:is|are|has always been|was always)$/u,
    predicate: 'has_favourite',
    confidence: 0.85,
  },
  { words: new RegExp(`^${JOB} is$`, 'u'), predicate: 'works_as', confidence: 0.8 },
]
