/** A server-sent event with its data as JSON. */
interface Frame {
  event: string;
  data: unknown;
}

/** The server-sent events of an answer, as they come. */
export async function* framesOf(response: Response): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const match = /^event: (.*)\ndata: (.*)$/.exec(text.slice(0, end));
      text = text.slice(end + 2);
      if (match) yield { event: match[1] as string, data: JSON.parse(match[2] as string) };
    }
  }
}
