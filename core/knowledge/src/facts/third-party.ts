/** What of another person's life is theirs to tell, by what a fact says or the words that bear it out. */
export function personalDataIn(predicate: string, text: string): string | undefined {
  const said = BY_PREDICATE.get(predicate)
  if (said !== undefined) return said

  const dateless = text.replace(/\b(?:1\d|20)\d{2}-\d{2}(?:-\d{2})?\b/g, '')
  return PERSONAL.find(({ pattern }) => pattern.test(dateless))?.what
}

const HEALTH = 'something of their health'
const BIRTH = 'when they were born'

const BY_PREDICATE: ReadonlyMap<string, string> = new Map([
  ['born_on', BIRTH],
  ['aged', 'how old they are'],
  ['has_condition', HEALTH],
  ['allergic_to', HEALTH],
])

const PERSONAL: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'an e-mail address', pattern: /[^\s@<>()]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+/u },
  { what: 'a telephone number', pattern: /(?<![\d.-])(?:\+|00)?\(?\d(?:[\s()/.-]{0,2}\d){7,14}(?![\d-])/ },
  { what: 'a bank account', pattern: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b/ },
  {
    what: 'a home address',
    pattern:
      /\b\d{1,4}[a-z]? (?:\p{Lu}[\p{L}'-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Court|Square|Terrace|Way|Quay)\b|\b\p{Lu}[\p{L}-]*(?:straße|strasse|gasse|weg|platz|allee) \d{1,4}\b/u,
  },
  {
    what: HEALTH,
    pattern:
      /\b(?:diagnos(?:ed|is)|cancer|tumou?r|leuka?emia|hiv|aids|diabet(?:es|ic)|depress(?:ion|ed)|bipolar|schizophreni[ac]|dementia|alzheimer|parkinson|epilep(?:sy|tic)|stroke|miscarriage|abortion|pregnan(?:t|cy)|alcoholi(?:c|sm)|addict(?:ed|ion)?|overdose|suicid(?:e|al)|chemotherapy|dialysis|psychiatr\w+|asthma|autis(?:m|tic)|adhd|anorexi[ac]|bulimi[ac]|epilepsy|arthritis|disabled|disabilit(?:y|ies)|wheelchair|surgery|rehab|therap(?:y|ist)|terminally ill|mental(?:ly)? (?:ill|health|illness)|burn-?out|krebs|depression(?:en)?|schwanger|krank)\b/i,
  },
  {
    what: BIRTH,
    pattern:
      /\b(?:born|geboren)\b[^.;]{0,60}\b(?:1[89]|20)\d{2}\b|\b(?:birthday|date of birth|geburtstag)\b|\b\d{1,3} years old\b/i,
  },
  {
    what: 'something of a crime',
    pattern:
      /\b(?:arrest(?:ed)?|convict(?:ed|ion)?|prison|jail(?:ed)?|criminal|crime|felony|theft|thief|stole|burglary|murder(?:ed|er)?|manslaughter|fraud|embezzl\w+|assault(?:ed)?|rape[ds]?|rapist|charged with|sentenced|parole|probation|police record|drug deal\w*|gefängnis|vorbestraft|verurteilt)\b/i,
  },
  {
    what: 'something of their sexuality',
    pattern:
      /\b(?:gay|lesbian|bisexual|homosexual|transgender|transsexual|trans (?:man|woman)|queer|sexual(?:ity| orientation)|an affair|slept with|sex life|schwul|lesbisch)\b/i,
  },
  {
    what: 'something of their religion',
    pattern:
      /\b(?:muslim|islam|jew(?:ish)?|christian|catholic|protestant|hindu|buddhist|sikh|mormon|jehovah|atheist|orthodox|baptised|baptized|convert(?:ed)? to|religion|religious|devout|prays?|katholisch|evangelisch|jüdisch)\b/i,
  },
  {
    what: 'something of their money',
    pattern:
      /\b(?:salary|salaries|wages?|earns?|earned|paid [^.;]{0,20}\d|income|bankrupt(?:cy)?|debts?|in debt|mortgage|net worth|gehalt|verdient|schulden)\b|[$€£] ?\d|\d ?(?:€|euros?|dollars?|pounds)\b/i,
  },
]
