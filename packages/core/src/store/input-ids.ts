/** The place of a call: the session, its step and the index there. */
export interface CallPlace {
  readonly sessionId: string;
  readonly stepId: number;
  readonly index: number;
}

/** A call's place as one text. */
export function callPlaceText({ sessionId, stepId, index }: CallPlace): string {
  return `${sessionId}.${stepId}.${index}`;
}

/** Of a message that a call sends. */
export function inputIdOfCall(place: CallPlace): string {
  return `c:${callPlaceText(place)}`;
}

/** Of a message that a person sends, by the id that the client gave it. */
export function inputIdOfMessage(clientId: string): string {
  return `m:${clientId}`;
}

/** Of the notice that a companion has ended a turn. */
export function inputIdOfNotice(childId: string, end: number): string {
  return `n:${childId}#${end}`;
}
