// The search of the site. Library and text are loaded, and the index is made, when the field is first used.
{
  const form = document.querySelector("nav.course .search");
  const field = form.querySelector("input"), list = form.querySelector("ol"), state = form.querySelector("p");
  const kMaxShown = 8;
  let index = null;

  const load = (name) => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = name;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${name} is missing`));
    document.head.append(script);
  });

  async function makeIndex() {
    await Promise.all([load("lunr.min.js"), load("search-data.js")]);
    return lunr(function () {
      // Whole words, and no stems: a beginning is enough to find a plural, and one wrong letter is forgiven.
      this.pipeline.remove(lunr.stemmer);
      this.searchPipeline.remove(lunr.stemmer);
      this.ref("number");
      this.field("heading", {boost: 10});
      this.field("title", {boost: 4});
      this.field("text");
      kSections.forEach((section, number) => this.add({...section, number}));
    });
  }

  // Sections in which each word occurs, by itself, as a beginning, or with one letter wrong if it is long.
  function found(made, words) {
    const scores = new Map();
    words.forEach((word, position) => {
      const term = word.toString();
      const results = made.query((query) => {
        query.term(term, {boost: 10, usePipeline: true});
        query.term(term, {wildcard: lunr.Query.wildcard.TRAILING, boost: 2, usePipeline: false});
        if (term.length > 5) query.term(term, {editDistance: 1, usePipeline: false});
      });
      for (const {ref, score} of results) {
        const before = position === 0 ? 0 : scores.get(ref);
        if (before !== undefined) scores.set(ref, before + score);
      }
      const here = new Set(results.map(({ref}) => ref));
      for (const ref of scores.keys()) if (!here.has(ref)) scores.delete(ref);
    });
    return [...scores].sort((a, b) => b[1] - a[1]).map(([ref]) => kSections[ref]);
  }

  // The text around the first word that occurs, of some 90 characters.
  function excerpt(text, words) {
    const low = text.toLowerCase();
    const places = words.map((word) => low.indexOf(word.toString())).filter((place) => place >= 0);
    const start = Math.max(0, Math.min(...places, text.length) - 30);
    const begin = places.length === 0 ? 0 : start;
    return (begin > 0 ? "…" : "") + text.slice(begin, begin + 90) + (begin + 90 < text.length ? "…" : "");
  }

  function entry({title, heading, address, text}, words) {
    const link = document.createElement("a"), where = document.createElement("strong"), what = document.createElement("span");
    link.href = address;
    where.textContent = heading ? `${heading} · ${title}` : title;
    what.textContent = excerpt(text, words);
    link.append(where, what);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  async function search() {
    const typed = field.value.trim();
    try {
      index ??= makeIndex();
      const made = await index;
      if (typed !== field.value.trim()) return;  // another search has begun
      const words = lunr.tokenizer(typed.toLowerCase()).map((word) => lunr.trimmer(word)).filter((word) => word.toString());
      const results = words.length === 0 ? [] : found(made, words);
      list.replaceChildren(...results.slice(0, kMaxShown).map((section) => entry(section, words)));
      state.textContent = words.length === 0 ? "" : results.length === 0 ? "Nothing was found."
        : results.length > kMaxShown ? `The first ${kMaxShown} of ${results.length} sections` : "";
    } catch (error) {
      index = null;
      state.textContent = `Search is not possible: ${error.message}.`;
    }
  }

  form.hidden = false;
  field.addEventListener("input", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && field.value) {
      field.value = "";
      search();
    } else if (event.key === "/" && !event.target.closest("input, textarea")) {
      event.preventDefault();
      field.focus();
    }
  });
  addEventListener("beforeprint", () => document.querySelectorAll(".contents details").forEach((one) => (one.open = true)));
}
