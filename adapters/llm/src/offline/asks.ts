/** What is said to be answered, not only to be known. */
export const asks = (text: string): boolean => text.includes('?') || OPENERS.test(text.slice(0, LOOK_AT))

/** The same in a hosted conversation, where a visitor also wishes and says please. */
export const asksOrWishes = (text: string): boolean => asks(text) || WISHES.test(text.slice(0, LOOK_AT))

const LOOK_AT = 300

const OPENERS =
  /^\s*(who|whom|whose|what|when|where|why|which|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|may|tell|explain|describe|list|find|show|give|name|summari[sz]e|compare)\b/i

const WISHES =
  /\bplease\b|^\s*(?:(?:so|well|okay|ok|and|yes|um|hi|hello)\b[\s,]{1,3})?(?:i(?: would|['’]d) like|i want|i need|i wonder|i am looking|i['’]m looking|i have a question|what|when|where|how|who|do|can)\b/i
