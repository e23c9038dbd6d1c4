/** Whether something is said to be so: who only says that something is wrong has not said what is right. */
export const statesSomething = (said: string): boolean =>
  said
    .toLowerCase()
    .replace(/['’]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .some((word) => word !== '' && !SAYING_NOTHING.has(word))

const SAYING_NOTHING: ReadonlySet<string> = new Set(
  (
    'no nope nah not never yes well sorry please just simply really actually i you your he she they we it its that thats this ' +
    'is isnt was wasnt are arent were werent do dont does doesnt did didnt a an the fact so true right correct wrong false ' +
    'incorrect untrue mistaken mistake error lie at all any more anymore longer ever think know'
  ).split(' '),
)
