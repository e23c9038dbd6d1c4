/** Whether a sentence is of two languages at once: its words cannot be relied on. */
export const isMixed = (sentence: string): boolean => ENGLISH.test(sentence) && GERMAN.test(sentence)

const ENGLISH =
  /(?<![\p{L}'’])(?:I|I['’]m|[Mm]y|[Oo]ur|[Ww]e|[Tt]he|[Ss]he|is|are|was|and|with|at|of)(?![\p{L}])/u

// Not those that stand in names or in English too: der, den, die, am, in, was, man.
const GERMAN =
  /(?<![\p{L}'’-])(?:und|ich|Ich|nicht|mit|für|ist|bin|ein|eine|einen|einem|auf|bei|aber|auch|sehr|mein|meine|unser|unsere|wohne|arbeite|heißt|gerade|immer|Schwester|Bruder|Mutter|Vater|Tochter|Sohn|Freundin|Tante|Onkel|Katze|Hund)(?![\p{L}'’-])/u
