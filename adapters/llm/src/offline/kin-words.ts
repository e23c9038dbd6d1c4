/** Words for those whom one has, as alternatives of a pattern. */
export const KIN = {
  siblings: '(?:half-|step-?)?(?:sister|brother)|twin|sibling',
  children: '(?:step)?(?:daughter|son)|child|children|kid',
  parents: '(?:step)?(?:mother|father)|mum|mom|dad|parent',
  partners: 'wife|husband|partner|girlfriend|boyfriend|fiancée?|spouse',
  others: 'grand[a-z]+|aunt|uncle|cousin|niece|nephew|friend|colleague|boss|teacher|mentor|neighbou?r',
  pets: 'dog|cat|horse|pony|rabbit|parrot|tortoise|pet',
} as const

export const ANY_KIN = Object.values(KIN).join('|')
