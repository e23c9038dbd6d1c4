/** The same without the keys that are there and undefined. */
export const present = <Query extends object>(query: Query) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Query]: Exclude<Query[Key], undefined>
  }
