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
