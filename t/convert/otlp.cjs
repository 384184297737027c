#!/usr/bin/env node
// SPDX-License-Identifier: ISC
//
// otlp.cjs: prints what a request with OpenTelemetry's profiles says, as otlp.py
// does, but by protobufjs and the format's published description.
//
//	otlp.cjs PROTOS FILE	of a file
//	otlp.cjs PROTOS		of what is posted to a server, which prints its
//				port first and ends after one request
//
// PROTOS is the folder that has opentelemetry/proto/.
"use strict";
const fs = require("fs");
const http = require("http");
const path = require("path");
const protobuf = require("protobufjs");

const [protos, file] = process.argv.slice(2);
const service = "opentelemetry.proto.collector.profiles.v1development";
const root = new protobuf.Root();
root.resolvePath = (origin, target) => path.join(protos, target);
root.loadSync("opentelemetry/proto/collector/profiles/v1development/" +
    "profiles_service.proto");
const Request = root.lookupType(`${service}.ExportProfilesServiceRequest`);
const Response = root.lookupType(`${service}.ExportProfilesServiceResponse`);

const literal = (text) => JSON.stringify(text).slice(1, -1);

function print(bytes) {
	const { resourceProfiles, dictionary } = Request.toObject(
	    Request.decode(bytes), { longs: String, defaults: true,
		arrays: true, oneofs: true });
	const lines = [];
	const string = (index) => literal(dictionary.stringTable[index]);
	const type = (t) =>
	    `${string(t.typeStrindex)}/${string(t.unitStrindex)}`;
	const value = (v) => v.value === "stringValue" ?
	    literal(v.stringValue) : v.intValue;
	const attributes = (indices) => indices.map((i) => {
		const { keyStrindex, value: v } = dictionary.attributeTable[i];
		return `${string(keyStrindex)}=${value(v)}`;
	});
	const at = (times) => times.some((time) => time !== "0") ?
	    ["at", ...times] : [];
	const location = (index) => {
		const { lines: [line], attributeIndices } =
		    dictionary.locationTable[index];
		const f = dictionary.functionTable[line.functionIndex];
		return [`${string(f.nameStrindex)} ` +
		    `${string(f.filenameStrindex)}:${line.line}:${line.column}`,
		    ...attributes(attributeIndices)].join(" ");
	};
	const stack = (index) => dictionary.stackTable[index].locationIndices
	    .map(location).reverse().join("; ");
	for (const { resource, scopeProfiles } of resourceProfiles) {
		for (const fact of resource.attributes)
			lines.push(`${fact.key}=${value(fact.value)}`);
		for (const { scope, profiles } of scopeProfiles) {
			lines.push(`scope ${scope.name} ${scope.version}`);
			for (const profile of profiles)
				print_profile(profile);
		}
	}

	function print_profile(profile) {
		const kind = type(profile.sampleType);
		let total = 0n;
		lines.push(["profile", kind, "period", profile.period,
		    type(profile.periodType), "duration", profile.durationNano,
		    ...at([profile.timeUnixNano])].join(" "));
		const samples = profile.samples.map((sample) => {
			for (const one of sample.values)
				total += BigInt(one);
			return [[...sample.values,
			    ...at(sample.timestampsUnixNano)].join(" "),
			    ...attributes(sample.attributeIndices),
			    stack(sample.stackIndex)].join("\t");
		});
		lines.push(...samples);
		lines.push(`total ${kind.split("/")[0]} ${total}`);
	}
	console.log(lines.join("\n"));
}

// As a collector does, it refuses what it does not take.
function serve() {
	const server = http.createServer((request, response) => {
		const parts = [];
		request.on("data", (part) => parts.push(part));
		request.on("end", () => {
			const ok = request.method === "POST" &&
			    request.url === "/v1development/profiles" &&
			    request.headers["content-type"] ===
				"application/x-protobuf";
			response.writeHead(ok ? 200 : 400,
			    { "content-type": "application/x-protobuf" });
			response.end(Response.encode(Response.create()).finish());
			if (ok)
				print(Buffer.concat(parts));
			server.close();
		});
	}).listen(0, "127.0.0.1", () => console.log(server.address().port));
}

if (file === undefined)
	serve();
else
	print(fs.readFileSync(file));
