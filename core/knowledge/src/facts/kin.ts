/** Those whom one has, and how a fact names them. */
export const KIN =
  'mother father mum mom dad sister brother twin half-sister half-brother stepmother stepfather stepsister stepbrother daughter son stepdaughter stepson wife husband partner girlfriend boyfriend fiancé fiancée ex-wife ex-husband grandmother grandfather grandma grandpa granny aunt uncle cousin niece nephew granddaughter grandson godmother godfather godson goddaughter mother-in-law father-in-law sister-in-law brother-in-law friend colleague neighbour neighbor boss mentor teacher dog cat horse Schwester Bruder Mutter Vater Tochter Sohn Frau Mann Freund Freundin Oma Opa Tante Onkel Hund Katze'.split(
    ' ',
  )

export const SPOUSES: ReadonlySet<string> = new Set(['wife', 'husband'])
