/** Words that stand in any answer and tell nothing of where it is from. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after again all also always an and any are as ask asked at be because been before being but by came can ' +
    'come could did do does done for from get give go good had has have he hello help her here hers him his how i if in ' +
    'into is it its just know like look made make may me might mine more most much must my never no not nothing now of ' +
    'off on once one only or other our out over said say says see she should so some source sources still sure tell ' +
    'than thank thanks that the their them then there these they thing things this those to told too under up us very ' +
    'was way we welcome well were what when whenever where which while who whom whose why will with would yes yet you ' +
    "your yours i'm i've i'd it's that's don't"
  ).split(' '),
)
