/** What of another person's life is theirs to tell. */
export function personalDataIn(text: string): string | undefined {
  const dateless = text.replace(/\b(?:1\d|20)\d{2}-\d{2}(?:-\d{2})?\b/g, '')
  return PERSONAL.find(({ pattern }) => pattern.test(dateless))?.what
}

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
    what: 'something of their health',
    pattern:
      /\b(?:diagnos(?:ed|is)|cancer|tumou?r|leuka?emia|hiv|aids|diabet(?:es|ic)|depress(?:ion|ed)|bipolar|schizophreni[ac]|dementia|alzheimer|parkinson|epilep(?:sy|tic)|stroke|miscarriage|abortion|pregnan(?:t|cy)|alcoholi(?:c|sm)|addict(?:ed|ion)?|overdose|suicid(?:e|al)|chemotherapy|dialysis|psychiatr\w+|krebs|depression(?:en)?|schwanger)\b/i,
  },
]
