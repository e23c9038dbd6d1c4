/** Keys, ids, marks and signatures, and sentences that speak of them. Only for texts of bounded length. */
export const looksSecret = (text: string): boolean => SECRET.test(text)

const SECRET =
  /\b(?:passwords?|passphrases?|secrets?|api[- ]keys?|tokens?|signatures?|credentials?)\b|(?=[\w+/=.-]*\d)[\w+/=-]{16,}|[\w+/=-]{32,}|\b[a-z]{2,12}_[a-z0-9]{6,}\b/i
