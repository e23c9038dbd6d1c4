/** What one is of something: the master of a ferry. */
export const OFFICE =
  '(?:master|head|director|captain|editor|chair|president|mayor|secretary|treasurer|owner|founder|member|keeper|godfather|godmother) (?:of|to) '

/** What a single word says of somebody for good, or for long. */
export const STANDING =
  '(?:adopted|divorced|widowed|orphaned|ordained|knighted|retired|vegetarian|vegan|left-handed|colour-blind|deaf|blind)(?=[.,;!]| (?:in|since|from|for|at|and|the) |$)'

export const ILLNESS =
  "(?:\\p{Lu}[\\p{L}-]+['’]s(?: disease| syndrome)?(?=[.,;!]|$| since )|(?:asthma|diabetes|epilepsy|arthritis|tinnitus|migraines|hay fever|celiac disease|coeliac disease)(?![\\p{L}]))"

/** Things that one makes for a living, rather than mistakes. */
export const PLURAL =
  '(?= (?:[\\p{L}-]+ ){0,2}(?!(?:mistake|friend|plan|joke|note|effort|change|promise|excuse|thing|decision|arrangement|enemie|end|amend|wave|point|mean|way)s)[\\p{L}-]{3,}s(?: now| for [\\p{Ll}-]+ing| in \\p{Lu}\\p{L}+| and |[.,;]|$))'

export const NAMED_THING = '(?= (?:the )?(?:\\p{Lu}|[\\p{Ll}-]+ (?:to|of|at|in) \\p{Lu}))'

export const JOB = '(?:job|profession|occupation|trade)'

/** What is bought or sold once in a while, rather than a bun. */
export const OF_WORTH =
  '(?= (?:(?:the|an?|my|our|two|three|some) (?:[\\p{Ll}-]+ ){0,3}\\p{Lu}|(?:(?:the|an?|my|our|his|her|their|two|three|some) )?(?:[\\p{Ll}-]+ ){0,3}(?:house|home|cottage|flat|apartment|farm|cabin|land|field|garden|workshop|shop|business|company|shares|boat|dinghy|ship|yacht|car|van|lorry|motorbike|motorcycle|tractor|bicycle|bike|horse|pony|dog|cat|piano|fiddle|violin|cello|guitar)s?(?![\\p{L}])))'

/** Animals that one keeps. */
export const KEPT =
  '(?= (?:[\\p{Ll}-]+ ){0,2}(?:bees|chickens|hens|ducks|geese|pigeons|goats|sheep|pigs|cows|horses|ponies|rabbits|alpacas|llamas|donkeys|fish|parrots|snakes|tortoises)(?![\\p{L}]))'

/** "Studied hard" is how, and not what. */
export const NOT_HOW =
  '(?! (?:hard|abroad|together|alone|late|well|badly|there|here|all|every|each|until|till|under|for|with|the|a lot|too|more|less|again|everything)(?![\\p{L}]))'

/** A verb, and not where one is going to. */
export const TO_DO =
  '(?! (?:the|an?|my|our|his|her|their|your|this|that|these|those|some|school|work|bed|town|church|university|\\p{Lu}[\\p{L}’-]*)(?![\\p{L}]))'

/** Who has a name is told by that. */
export const NOT_CALLED =
  '(?! an? (?:[\\p{Ll}-]+ ){0,2}(?:brother|sister|son|daughter|dog|cat|horse),? (?:called|named) )'

export const FOR_A_TERM =
  '(?= (?:the )?\\p{Lu}[^.;:]{1,60}? (?:from|between) (?:\\p{Lu}\\p{L}+ )?\\d{4} (?:to|until|till|and) )'

export const ANY_MORE = '(?=[^.;:]{1,60}? any ?more)'
